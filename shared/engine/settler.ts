// Gathers what becomes of a run's items and writes it in few, large flushes. Guarantee: an item is in one flush at a
// time, in order; what arrives while the flushes are under way waits for the next; and a flush that failed on a lost
// connection is sent again unchanged, which its guards make harmless.

import type { Context } from '../context.ts'
import { promptHead } from '../domain/clustering.ts'
import { fault } from '../domain/fault.ts'
import { LIMITS } from '../domain/limits.ts'
import { closeClaims } from '../store/claims.ts'
import type { Return, StepRow, Verdict } from '../store/settle.ts'
import * as store from '../store/settle.ts'
import type { Flight, Lease } from './flight.ts'

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
  /** Flushes under way: the second is prepared and sent while PostgreSQL works on the first. */
  #lanes = new Set<Promise<void>>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #timerMs = 0

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
    while (this.#lanes.size > 0 || this.#touched.size > 0 || this.#returns.length > 0) {
      // A flush under way goes on by itself; starting beside it for an item it is writing would spin.
      if (this.#lanes.size === 0) this.#start()
      await Promise.race(this.#lanes)
    }
  }

  #schedule(delayMs: number): void {
    if (this.#lanes.size >= LIMITS.settles_in_flight_per_run) return
    if (this.#timer !== undefined && this.#timerMs <= delayMs) return
    clearTimeout(this.#timer)
    // At 0 the end of this macrotask: what arrived in the same chunk goes into the same flush.
    this.#timer = setTimeout(() => this.#start(), delayMs)
    this.#timerMs = delayMs
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#lanes.size >= LIMITS.settles_in_flight_per_run || !this.#hasReady()) return
    const lane = this.#flushAll().finally(() => {
      this.#lanes.delete(lane)
      // Something may have come between the last lane's last look and its end.
      if (this.#lanes.size === 0 && this.#touched.size + this.#returns.length > 0) this.#schedule(0)
    })
    this.#lanes.add(lane)
  }

  /** Whether a further lane would find anything; what is in a flush under way is that lane's to go on with. */
  #hasReady(): boolean {
    for (const flight of this.#touched) if (!flight.writing) return true
    return this.#returns.some(({ flight }) => !flight.writing)
  }

  async #flushAll(): Promise<void> {
    for (;;) {
      const entries = await this.#flushEntries()
      const returns = await this.#flushReturns()
      if (entries === null && returns === null) return
      const left = (entries ?? 0) + (returns ?? 0)
      if (left > 0) this.#events.onSettled(left)
    }
  }

  /** Items that left the consumer's hands with the flush; null when there was nothing to write. */
  async #flushEntries(): Promise<number | null> {
    const taken = this.#takeFlush()
    if (taken === null) return null
    const { flush, flights, ended } = taken
    await fault('settle.before_commit')
    const written = await this.#persist(() => store.settle(this.#ctx.sql, flush))
    await fault('settle.after_commit')
    for (const flight of flights) flight.writing = false
    return written ? this.#let(ended, flush.closed_claims) : abandon(flights)
  }

  async #flushReturns(): Promise<number | null> {
    // An item's steps are written before it is given back, or the next attempt would not find them.
    const taken = this.#returns
      .filter(({ flight }) => !flight.writing && !this.#touched.has(flight))
      .slice(0, LIMITS.settle_items)
    if (taken.length === 0) return null
    const set = new Set(taken)
    this.#returns = this.#returns.filter(one => !set.has(one))
    const flights = taken.map(({ flight }) => flight)
    const closed = claimsEndingWith(flights)
    const entries = taken.map(({ entry }) => entry)
    const send = () => store.returnItems(this.#ctx.sql, this.#runId, entries, closed)
    return (await this.#persist(send)) ? this.#let(flights, closed) : abandon(flights)
  }

  /** After their flush is committed: the items leave their leases, and leases without items are ended. */
  async #let(flights: readonly Flight[], closed: readonly number[]): Promise<number> {
    for (const { lease } of flights) lease.open--
    const left = stillHeld(flights)
    // Two flushes under way at once can hold the last items of a claim between them; then neither closed it.
    const leases = new Set(flights.map(({ lease }) => lease))
    const empty = [...leases].filter(lease => isOver(lease)).map(lease => lease.claim_id)
    const open = empty.filter(id => !closed.includes(id))
    if (open.length > 0) await this.#persist(() => closeClaims(this.#ctx.sql, open))
    return left
  }

  /** Takes as many items as one statement should carry, and fixes what it says. */
  #takeFlush(): { flush: store.Flush; flights: Flight[]; ended: Flight[] } | null {
    const entries: store.Entry[] = []
    const steps: StepRow[] = []
    const flights: Flight[] = []
    let bytes = 0
    for (const flight of this.#touched) {
      if (entries.length >= LIMITS.settle_items || bytes > LIMITS.settle_bytes) break
      if (flight.writing) continue
      this.#touched.delete(flight)
      flight.writing = true
      flights.push(flight)
      const { pending, verdict } = flight
      flight.pending = []
      for (const step of pending) {
        steps.push(step)
        bytes += (step.input?.length ?? 0) + (step.output?.length ?? 0)
      }
      bytes += verdict?.output?.length ?? 0
      entries.push(entryOf(flight, pending, verdict))
    }
    if (flights.length === 0) return null
    const ended = flights.filter(flight => flight.verdict !== null)
    const flush = {
      run_id: this.#runId,
      entries,
      steps,
      closed_claims: claimsEndingWith(ended),
      ...streakOf(ended),
      max_consecutive_failures: this.#maxConsecutiveFailures,
    }
    return { flush, flights, ended }
  }

  /**
   * Sends until it is through: PostgreSQL may be restarting. False after twice the lease, when there is no point any
   * more: the items are offered again.
   */
  async #persist(send: () => Promise<unknown>): Promise<boolean> {
    const until = this.#ctx.now() + 2 * LIMITS.lease_ms
    for (let tries = 0; ; tries++) {
      try {
        await send()
        return true
      } catch (error) {
        const over = this.#ctx.now() > until
        this.#ctx.log(over ? 'error' : 'warn', 'settle_failed', {
          run_id: this.#runId,
          tries,
          error: String(error),
        })
        if (over) return false
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
    prompt: verdict?.error_code ? promptHead(flight.item.input) : null,
  }
}

/** Claims that have no other items left than these. An item counts until the flush that ends it is committed. */
function claimsEndingWith(flights: readonly Flight[]): number[] {
  const among = new Map<Lease, number>()
  for (const { lease } of flights) among.set(lease, (among.get(lease) ?? 0) + 1)
  const ending = [...among].filter(([lease, n]) => isOver(lease, n)).map(([lease]) => lease)
  for (const lease of ending) lease.closing = true
  return ending.map(lease => lease.claim_id)
}

/**
 * Whether nothing but `n` items is left of a claim. Never of one that was given up: what could not be written of it
 * may still be running, and is found only by the claim's row.
 */
const isOver = (lease: Lease, n = 0) => lease.open === n && !lease.abort.signal.aborted

/** What could not be written is left to the end of its lease, which must therefore not be prolonged. */
function abandon(flights: readonly Flight[]): number {
  for (const { lease } of flights) lease.abort.abort()
  return 0
}
