// Gathers the results of a run's items and writes them in few, large flushes. Guarantee: an item is in one flush at a
// time, in order; results that arrive during flushes wait for the next. A flush that failed on a lost connection is
// sent again unchanged, which its guards make harmless. Content that PostgreSQL refuses ends only its own item.

import type { Refill, ClaimedItem as TakenItem } from '../../claims/queries/claim.ts'
import { closeClaims } from '../../claims/queries/leases.ts'
import { handOver } from '../../consumer/queries/later-answers.ts'
import type { Context } from '../../context.ts'
import type { StepRow } from '../../grading/rules/step-row.ts'
import type { Verdict } from '../../grading/rules/verdict.ts'
import { bisect } from '../../kernel/bisect.ts'
import { fault } from '../../kernel/fault.ts'
import { itemRecordId } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { deliverSoon } from '../../outbox/verbs/deliver.ts'
import type { CauseNamer } from '../../triage/verbs/name-causes.ts'
import type { FlushClaims } from '../queries/flush-claims.ts'
import { type Return, returnItems } from '../queries/returns.ts'
import * as store from '../queries/settle.ts'
import {
  type Part,
  partOf,
  refusedPart,
  streakOf,
  takeParts,
  unpricedModelOf,
  withCauses,
  withVersions,
} from './flush.ts'
import { abandon, endingWith, type InFlightItem, isOver, stillHeld } from './in-flight-item.ts'
import { persist } from './persist.ts'
import type { RunTrace } from './run-trace.ts'
import type { VersionNamer } from './version-namer.ts'

export interface ResultWriterEvents {
  /** Whether other writers may write the same items: each POST of an agent that answers later has its own. */
  shared?: boolean
  /** What a flush may take for so many places that it frees; null for nothing. */
  refill?(freed: number): Refill | null
  /** Called after each flush with the number of items that left the consumer's hands, and the items that flushes took, by claim. */
  onSettled(items: number, taken: readonly (readonly TakenItem[])[]): void
  /** Gets what was written, if telemetry is collected. */
  trace?: RunTrace | null
}

/** One for each request: its unfinished items are held and renewed by themselves. */
export interface Later {
  /** Milliseconds from the hand-over until its items must have ended. */
  within_ms: number
}

interface Given {
  inFlight: InFlightItem
  entry: Return
}

/** What is remembered of what items end with. */
export interface Namers {
  causes: CauseNamer
  versions: VersionNamer
}

/** What a writer knows of its run. */
export interface SettledRun {
  run_id: string
  project_id: string
  agent_id: string
  max_consecutive_failures: number
}

/** One for each run a consumer works on. */
export class ResultWriter {
  readonly #ctx: Context
  readonly #run: SettledRun
  readonly #namers: Namers
  readonly #events: ResultWriterEvents
  /** Items with something to write, in the order it came. */
  #touched = new Set<InFlightItem>()
  #returns: Given[] = []
  /** Items that flushes took, each flush under a claim of its own, until `onSettled` hands them on. */
  readonly #taken: TakenItem[][] = []
  #handed: { inFlight: InFlightItem; later: Later }[] = []
  /** Flushes under way: the second is prepared and sent while PostgreSQL works on the first. */
  #flushes = new Set<Promise<void>>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #timerMs = 0

  constructor(ctx: Context, run: SettledRun, namers: Namers, events: ResultWriterEvents) {
    this.#ctx = ctx
    this.#run = run
    this.#namers = namers
    this.#events = events
  }

  /** A step of an item; written soon, or with the verdict if that comes first. */
  addStep(inFlight: InFlightItem, step: StepRow): void {
    inFlight.pending.push(step)
    if (!step.reused) inFlight.steps_run++
    this.#touched.add(inFlight)
    this.#schedule(LIMITS.step_flush_ms)
  }

  /** The end of an attempt that ends its item. */
  end(inFlight: InFlightItem, verdict: Verdict): void {
    inFlight.verdict = verdict
    this.#events.trace?.ended(inFlight)
    this.#touched.add(inFlight)
    this.#schedule(0)
  }

  /** The end of an attempt whose item is to be offered again. */
  giveBack(inFlight: InFlightItem, entry: Return): void {
    this.#returns.push({ inFlight, entry })
    this.#events.trace?.ended(inFlight)
    this.#schedule(0)
  }

  /** The end of this consumer's part in an attempt: the item's agent answers later. */
  handOver(inFlight: InFlightItem, later: Later): void {
    this.#handed.push({ inFlight, later })
    this.#schedule(0)
  }

  /** Resolves when nothing is left to write. */
  async drained(): Promise<void> {
    while (this.#flushes.size > 0 || this.#isAnythingLeft()) {
      // A flush under way continues by itself; starting another one for an item it is writing would spin.
      if (this.#flushes.size === 0) this.#start()
      await Promise.race(this.#flushes)
    }
  }

  #schedule(delayMs: number): void {
    if (this.#flushes.size >= LIMITS.settles_in_flight_per_run) return
    if (this.#timer !== undefined && this.#timerMs <= delayMs) return
    clearTimeout(this.#timer)
    // At 0 the end of this macrotask: results from the same chunk go into the same flush.
    this.#timer = setTimeout(() => this.#start(), delayMs)
    this.#timerMs = delayMs
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#flushes.size >= LIMITS.settles_in_flight_per_run || !this.#hasReady()) return
    const flush = this.#flushAll().finally(() => {
      this.#flushes.delete(flush)
      // Results may have come between the last flush's last check and its end.
      if (this.#flushes.size === 0 && this.#isAnythingLeft()) this.#schedule(0)
    })
    this.#flushes.add(flush)
  }

  #isAnythingLeft(): boolean {
    return this.#touched.size + this.#returns.length + this.#handed.length > 0
  }

  /** Whether another flush would find anything; a flush under way continues with its own items. */
  #hasReady(): boolean {
    for (const inFlight of this.#touched) if (!inFlight.writing) return true
    return [...this.#returns, ...this.#handed].some(({ inFlight }) => !inFlight.writing)
  }

  /** Whether an item may leave: its steps must be written first, or its next holder would not find them. */
  #mayLeave(inFlight: InFlightItem): boolean {
    return !inFlight.writing && !this.#touched.has(inFlight)
  }

  async #flushAll(): Promise<void> {
    for (;;) {
      const entries = await this.#flushEntries()
      this.#report(entries ?? 0)
      const returns = await this.#flushReturns()
      const handed = await this.#flushHandedOver()
      if (entries === null && returns === null && handed === null) return
      this.#report((returns ?? 0) + (handed ?? 0))
    }
  }

  #report(left: number): void {
    const taken = this.#taken.splice(0)
    if (left + taken.length > 0) this.#events.onSettled(left, taken)
  }

  /** Returns how many items left the consumer with the flush; null if there was nothing to write. */
  async #flushEntries(): Promise<number | null> {
    const parts = takeParts(this.#touched)
    if (parts.length === 0) return null
    await fault('settle.before_commit')
    const left = await bisect(
      parts,
      some => this.#settle(some),
      (part, error) => this.#failRejected(part, error),
    )
    await fault('settle.after_commit')
    return left
  }

  async #flushReturns(): Promise<number | null> {
    const taken = this.#returns
      .filter(({ inFlight }) => this.#mayLeave(inFlight))
      .slice(0, LIMITS.settle_items)
    if (taken.length === 0) return null
    const set = new Set(taken)
    this.#returns = this.#returns.filter(one => !set.has(one))
    return bisect(
      taken,
      some => this.#giveBack(some),
      ({ inFlight }, error) => this.#failRejected(partOf(inFlight), error),
    )
  }

  /** Hands over the items of one request at a time. */
  async #flushHandedOver(): Promise<number | null> {
    const ready = this.#handed.filter(({ inFlight }) => this.#mayLeave(inFlight))
    const [first] = ready
    if (first === undefined) return null
    const { later } = first
    const taken = new Set(ready.filter(one => one.later === later))
    this.#handed = this.#handed.filter(one => !taken.has(one))
    const items = [...taken].map(({ inFlight }) => inFlight)
    const { claim_id } = first.inFlight.lease
    const { project_id, run_id } = this.#run
    const order = { project_id, run_id, claim_id, items, within_ms: later.within_ms }
    await fault('hand_over.before_commit')
    const left = await this.#write(items, items, claims => handOver(this.#ctx.sql, order, claims))
    await fault('hand_over.after_commit')
    return left
  }

  async #settle(parts: readonly Part[]): Promise<number> {
    const inFlightItems = parts.map(({ inFlight }) => inFlight)
    const ended = parts.filter(({ entry }) => entry.verdict !== null).map(({ inFlight }) => inFlight)
    const { run_id, project_id, agent_id } = this.#run
    const flush = {
      run_id,
      project_id,
      agent_id,
      steps: parts.flatMap(({ steps }) => steps),
      ...streakOf(parts),
      unpriced_model: unpricedModelOf(parts),
      max_consecutive_failures: this.#run.max_consecutive_failures,
    }
    return this.#write(inFlightItems, ended, async claims => {
      const { causes, versions } = this.#namers
      await withVersions(parts, (deployment_id, names) =>
        versions.name({ ...this.#run, deployment_id }, names),
      )
      const entries = await withCauses(parts, symptoms => causes.name(this.#run, symptoms))
      const refill = (ended.length > 0 && this.#events.refill?.(ended.length)) || null
      const flushed = await store.settle(this.#ctx.sql, { ...flush, entries, claims, refill })
      if (flushed.taken.length > 0) this.#taken.push(flushed.taken)
      this.#events.trace?.settled(parts, flushed)
      if (!flushed.finished) return
      deliverSoon(this.#ctx)
      this.#events.trace?.runEnded()
    })
  }

  #giveBack(taken: readonly Given[]): Promise<number> {
    const inFlightItems = taken.map(({ inFlight }) => inFlight)
    const entries = taken.map(({ entry }) => entry)
    return this.#write(inFlightItems, inFlightItems, async claims => {
      await returnItems(this.#ctx.sql, this.#run, entries, claims)
      this.#events.trace?.returned(taken)
    })
  }

  /** Writes results of items, of which `leaving` leave the consumer; returns how many of these were still held. */
  async #write(
    inFlightItems: readonly InFlightItem[],
    leaving: readonly InFlightItem[],
    send: (claims: FlushClaims) => Promise<unknown>,
  ): Promise<number> {
    const ending = endingWith(leaving)
    const held = [...new Set(inFlightItems.map(({ lease }) => lease.claim_id))]
    const closed = ending.map(lease => lease.claim_id)
    const { shared = false } = this.#events
    for (const lease of ending) lease.closing = true
    try {
      const written = await persist(this.#ctx, this.#run.run_id, () => send({ held, closed, shared }))
      for (const inFlight of inFlightItems) inFlight.writing = false
      return written ? await this.#releaseClaims(leaving, closed) : abandon(inFlightItems)
    } catch (error) {
      for (const lease of ending) lease.closing = false
      throw error
    }
  }

  /** Ends an item whose content PostgreSQL refuses: first without its result, then also without its steps. */
  #failRejected(part: Part, error: unknown): Promise<number> {
    const { inFlight } = part
    const record_id = itemRecordId(this.#run.run_id, inFlight.seq)
    this.#ctx.log('error', 'settle_refused', { run_id: this.#run.run_id, record_id, error: String(error) })
    // Lines that its agent sends from here on come too late.
    inFlight.done = true
    inFlight.pending = []
    this.#touched.delete(inFlight)
    this.#returns = this.#returns.filter(one => one.inFlight !== inFlight)
    this.#handed = this.#handed.filter(one => one.inFlight !== inFlight)
    const write = (parts: readonly Part[]) => this.#settle(parts)
    return bisect([refusedPart(part, error)], write, () => {
      inFlight.steps_written = part.entry.steps_before
      return bisect([refusedPart(partOf(inFlight), error)], write, async () => abandon([inFlight]))
    })
  }

  /** Called after a flush is committed: its items leave their leases, and claims without items are ended. */
  async #releaseClaims(inFlightItems: readonly InFlightItem[], closed: readonly number[]): Promise<number> {
    for (const { lease } of inFlightItems) lease.open--
    const left = stillHeld(inFlightItems)
    // Two flushes under way at once can hold the last items of a claim between them; then neither closed it.
    const leases = new Set(inFlightItems.map(({ lease }) => lease))
    const empty = [...leases].filter(lease => isOver(lease)).map(lease => lease.claim_id)
    const open = empty.filter(id => !closed.includes(id))
    if (open.length > 0)
      await persist(this.#ctx, this.#run.run_id, () => closeClaims(this.#ctx.sql, this.#run.project_id, open))
    return left
  }
}
