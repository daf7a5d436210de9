// Gathers what becomes of a run's items and writes it in few, large flushes. Guarantee: one flush of a run is under
// way at a time, what arrives meanwhile waits for the next, and a flush that failed on a lost connection is sent
// again unchanged, which its guards make harmless.

import type { Context } from '../context.ts'
import { fault } from '../domain/fault.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Return, StepRow, Verdict } from '../store/settle.ts'
import * as store from '../store/settle.ts'
import type { Flight } from './flight.ts'

export interface SettlerEvents {
  /** Called after each flush with the number of items that left the consumer's hands. */
  onSettled(items: number): void
}

/** One for each run a consumer works on. */
export class Settler {
  readonly #ctx: Context
  readonly #runId: string
  readonly #maxConsecutiveFailures: number
  readonly #events: SettlerEvents
  /** Items with something to write, in the order it came. */
  #touched = new Set<Flight>()
  #returns: { flight: Flight; entry: Return }[] = []
  #flushing: Promise<void> | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ctx: Context, runId: string, maxConsecutiveFailures: number, events: SettlerEvents) {
    this.#ctx = ctx
    this.#runId = runId
    this.#maxConsecutiveFailures = maxConsecutiveFailures
    this.#events = events
  }

  /** A step of an item; written soon, or with the verdict if that comes first. */
  addStep(flight: Flight, step: StepRow): void {
    flight.pending.push(step)
    this.#touched.add(flight)
    this.#schedule(LIMITS.step_flush_ms)
  }

  /** The end of an attempt that ends its item. */
  end(flight: Flight, verdict: Verdict): void {
    flight.verdict = verdict
    this.#touched.add(flight)
    this.#schedule(0)
  }

  /** The end of an attempt whose item is to be offered again. */
  giveBack(flight: Flight, entry: Return): void {
    this.#returns.push({ flight, entry })
    this.#schedule(0)
  }

  /** Resolves when nothing is left to write. */
  async drained(): Promise<void> {
    while (this.#flushing || this.#touched.size > 0 || this.#returns.length > 0) {
      this.#start()
      await this.#flushing
    }
  }

  #schedule(delayMs: number): void {
    if (this.#flushing) return
    if (delayMs > 0) {
      this.#timer ??= setTimeout(() => this.#start(), delayMs)
      return
    }
    clearTimeout(this.#timer)
    // The end of this macrotask: what arrived in the same chunk goes into the same flush.
    this.#timer = setTimeout(() => this.#start(), 0)
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = null
    })
  }

  async #flushAll(): Promise<void> {
    while (this.#touched.size > 0 || this.#returns.length > 0) {
      let left = 0
      if (this.#touched.size > 0) left += await this.#flushEntries()
      if (this.#returns.length > 0) left += await this.#flushReturns()
      if (left > 0) this.#events.onSettled(left)
    }
  }

  async #flushEntries(): Promise<number> {
    const { flush, ended } = this.#takeFlush()
    await fault('settle.before_commit')
    await this.#persist(() => store.settle(this.#ctx.sql, flush))
    await fault('settle.after_commit')
    return stillHeld(ended)
  }

  async #flushReturns(): Promise<number> {
    // An item's steps are written before it is given back, or the next attempt would not find them.
    const taken = this.#returns
      .filter(({ flight }) => !this.#touched.has(flight))
      .slice(0, LIMITS.settle_items)
    const set = new Set(taken)
    this.#returns = this.#returns.filter(one => !set.has(one))
    const closed = closedClaims(taken.map(({ flight }) => flight))
    if (taken.length > 0)
      await this.#persist(() =>
        store.returnItems(
          this.#ctx.sql,
          this.#runId,
          taken.map(one => one.entry),
          closed,
        ),
      )
    return stillHeld(taken.map(({ flight }) => flight))
  }

  /** Takes as many items as one statement should carry, and fixes what it says. */
  #takeFlush(): { flush: store.Flush; ended: Flight[] } {
    const entries: store.Entry[] = []
    const steps: StepRow[] = []
    const ended: Flight[] = []
    let bytes = 0
    for (const flight of this.#touched) {
      if (entries.length >= LIMITS.settle_items || bytes > LIMITS.settle_bytes) break
      this.#touched.delete(flight)
      const { pending, verdict } = flight
      flight.pending = []
      for (const step of pending) {
        steps.push(step)
        bytes += (step.input?.length ?? 0) + (step.output?.length ?? 0)
      }
      bytes += verdict?.output?.length ?? 0
      entries.push(entryOf(flight, pending, verdict))
      if (verdict) ended.push(flight)
    }
    const flush = {
      run_id: this.#runId,
      entries,
      steps,
      closed_claims: closedClaims(ended),
      ...streakOf(ended),
      max_consecutive_failures: this.#maxConsecutiveFailures,
    }
    return { flush, ended }
  }

  /**
   * Sends until it is through: PostgreSQL may be restarting. After twice the lease there is no point any more; the
   * items were offered again.
   */
  async #persist(send: () => Promise<unknown>): Promise<void> {
    const until = this.#ctx.now() + 2 * LIMITS.lease_ms
    for (let tries = 0; ; tries++) {
      try {
        await send()
        return
      } catch (error) {
        const over = this.#ctx.now() > until
        this.#ctx.log(over ? 'error' : 'warn', 'settle_failed', {
          run_id: this.#runId,
          tries,
          error: String(error),
        })
        if (over) return
        await new Promise(resolve => setTimeout(resolve, Math.min(100 * 2 ** tries, 2000)))
      }
    }
  }
}

/** Failures at the end of a flush, and whether anything before them worked. */
function streakOf(ended: readonly Flight[]) {
  let failure_streak = 0
  let streak_broken = false
  for (const { verdict } of ended) {
    if (verdict?.status === 'failed') failure_streak++
    else if (verdict?.status === 'completed') {
      failure_streak = 0
      streak_broken = true
    }
  }
  return { failure_streak, streak_broken }
}

/** Items of leases that were lost left the consumer's hands when they were. */
const stillHeld = (flights: readonly Flight[]) =>
  flights.filter(({ lease }) => !lease.abort.signal.aborted).length

function entryOf(flight: Flight, pending: readonly StepRow[], verdict: Verdict | null): store.Entry {
  let cost = 0
  let input = 0
  let output = 0
  let unpriced = false
  for (const step of pending) {
    cost += step.cost_micro
    input += step.input_tokens
    output += step.output_tokens
    unpriced ||= step.unpriced
  }
  const newly_unpriced = unpriced && !flight.unpriced
  flight.unpriced ||= unpriced
  const steps_before = flight.steps_written
  flight.steps_written += pending.length
  return {
    seq: flight.seq,
    attempt: flight.attempt,
    steps_before,
    steps_after: flight.steps_written,
    cost_micro: cost,
    input_tokens: input,
    output_tokens: output,
    newly_unpriced,
    verdict,
  }
}

/** Claims whose last item is among these. */
function closedClaims(flights: readonly Flight[]): number[] {
  const closed: number[] = []
  for (const { lease } of flights) if (--lease.open === 0) closed.push(lease.claim_id)
  return closed
}
