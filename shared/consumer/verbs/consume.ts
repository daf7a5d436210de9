// The queue consumer: claims items across all open runs, executes them and settles them until the backlog is empty or
// its time is over. Guarantee: whatever it holds when it stops, even by being killed, is offered again.

import { extendLeases } from '../../claims/queries/leases.ts'
import { findNextDue, isAnyLeftToFresh } from '../../claims/queries/open-runs.ts'
import { type Late, stepTimeMs } from '../../claims/rules/consumer-time.ts'
import { HeldItems } from '../../claims/rules/held-items.ts'
import type { Claim } from '../../claims/verbs/claim.ts'
import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { dropTurns, noteTurn } from '../../redis/turns.ts'
import { beginItem, type InFlightItem, type Lease } from '../../settling/verbs/in-flight-item.ts'
import { ResultWriter } from '../../settling/verbs/result-writer.ts'
import { RunTrace } from '../../settling/verbs/run-trace.ts'
import { CauseNamer } from '../../triage/verbs/name-causes.ts'
import { OpenRequests } from './agent-open-requests.ts'
import { Claimer, type Holder } from './claimer.ts'
import type { Consumed, ConsumeOptions } from './consume-options.ts'
import { execute } from './execute.ts'
import { TimeLeft, type Timing } from './timing.ts'

/** Works until nothing is left to do, or the time is over. Any number of consumers may run at once. */
export async function consume(ctx: Context, options: ConsumeOptions = {}): Promise<Consumed> {
  const consumer = new Consumer(ctx, options)
  return consumer.run()
}

const IDLE_MS = 1000 // a wait ends by a notification, a settled flush or a due item; this catches what none of them tells
const DUE_MS = 50 // at least, since an item that is due may have to wait for room

/** What a consumer has of one run. */
interface Work {
  run_id: string
  project_id: string
  account_id: string | null
  writer: ResultWriter
  executions: number
}

class Consumer {
  readonly #ctx: Context
  readonly #options: ConsumeOptions
  readonly #time: TimeLeft
  readonly #requests = new OpenRequests()
  readonly #work = new Map<string, Work>()
  readonly #claimer: Claimer
  readonly #causes: CauseNamer
  readonly #leases = new Map<number, { lease: Lease; run_id: string; project_id: string }>()
  readonly #executions = new Set<Promise<void>>()
  /** When the last look ended, and by which name that was noted. */
  #looked_ms: number
  readonly #id: string
  readonly #held = new HeldItems()
  #claimed = 0
  #settled = 0
  #endSleep: () => void = () => {}
  #woken = false
  /** It ends what it has, and takes nothing more. */
  #isLeaving = false

  constructor(ctx: Context, options: ConsumeOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#causes = new CauseNamer(ctx)
    this.#time = new TimeLeft(() => ctx.now(), options.time_ms, options.began_ms)
    this.#looked_ms = ctx.now()
    this.#id = ctx.newId()
    this.#claimer = new Claimer(ctx, this.#holder)
    options.onWake?.(aborted => this.#hear(aborted))
    if (options.given) options.given.hasRoom = items => this.#hasRoom(items)
  }

  async run(): Promise<Consumed> {
    let noted = false
    const heartbeat = setInterval(() => {
      noteTurn(this.#ctx.redis, 'consumer', this.#id, this.#sinceMs(this.#looked_ms))
      noted = true
      void this.#heartbeat()
    }, LIMITS.heartbeat_ms)
    // The signal outlives the invocation and must not hold on to it.
    const onStop = () => this.#notify()
    this.#options.stop?.addEventListener('abort', onStop)
    this.#launchGiven()
    let more = false
    let looksInVain = 0
    let heard_ms = this.#ctx.now()
    try {
      while (!this.#isOver()) {
        this.#woken = false
        if (this.#sinceMs(heard_ms) >= IDLE_MS) {
          heard_ms = this.#ctx.now()
          this.#claimer.hear()
        }
        await this.#claimer.look()
        this.#looked_ms = this.#ctx.now()
        if (this.#claimer.isAtWork) {
          await this.#sleep(IDLE_MS)
          continue
        }
        const nextMs = await this.#untilNextDue()
        const isIdle = this.#held.all === 0 && this.#executions.size === 0 && !this.#woken
        // What is due and was not to be had twice is kept back by what others hold: theirs to go on with.
        looksInVain = isIdle && nextMs === 0 ? looksInVain + 1 : 0
        if (isIdle && (nextMs === null || looksInVain === 2)) break
        if (isIdle) this.#claimer.hear() // it leaves only after one more try
        const isDue = await this.#sleep(Math.min(Math.max(nextMs ?? IDLE_MS, DUE_MS), IDLE_MS))
        if (isDue && nextMs !== 0) this.#claimer.hear()
      }
      this.#isLeaving = true
      more = this.#isOver() || (await this.#leavesToFresh())
      // The successor starts while this invocation is still giving back what did not yield.
      if (this.#isOver()) this.#options.onHandOver?.()
      await this.#finish()
    } finally {
      clearInterval(heartbeat)
      if (noted) dropTurns(this.#ctx.redis, 'consumer', this.#id)
      this.#options.stop?.removeEventListener('abort', onStop)
    }
    return { claimed: this.#claimed, settled: this.#settled, more }
  }

  #isOver(): boolean {
    return (
      this.#options.stop?.aborted === true ||
      this.#time.but(this.#options.time_ms === undefined ? 0 : LIMITS.yield_before_end_ms) === 0
    )
  }

  /** What it has left, unless it has its time before it. */
  #late(): Late | undefined {
    const whole_ms = this.#timing.wholeMs()
    if (whole_ms === null || this.#time.sinceBegan() < LIMITS.consumer_fresh_ms) return undefined
    return { left_ms: this.#timing.leftMs(), whole_ms, base_url: this.#ctx.config.base_url }
  }

  /** Something waits for a consumer that has just begun: the next one should begin at once. */
  async #leavesToFresh(): Promise<boolean> {
    const late = this.#late()
    return late !== undefined && isAnyLeftToFresh(this.#ctx.sql, late).catch(() => false)
  }

  readonly #holder: Holder = {
    held: () => this.#held.all + (this.#options.given?.reserved ?? 0),
    here: this.#held,
    late: () => this.#late(),
    isOver: () => this.#isOver(),
    launch: claim => this.#launch(claim),
    lookAgain: () => this.#lookAgain(),
  }

  /** For a claim that is given to it: while others wait, or places are scarce and shared out, it chooses itself. */
  #hasRoom(items: number): boolean {
    const isFree = this.#holder.held() + items <= LIMITS.items_in_flight_per_consumer / 2
    return isFree && this.#claimer.isIdle && !this.#isLeaving && !this.#isOver()
  }

  #launchGiven(): void {
    if (this.#isLeaving) return
    for (const claim of this.#options.given?.take() ?? []) this.#launch(claim)
  }

  #launch(claim: Claim): void {
    const open = claim.items.length
    const taken_ms = this.#ctx.now()
    const lease: Lease = { claim_id: claim.id, taken_ms, open, closing: false, abort: new AbortController() }
    const inFlightItems: InFlightItem[] = claim.items.map(item => beginItem(item, lease))
    this.#leases.set(claim.id, { lease, run_id: claim.run_id, project_id: claim.project_id })
    const work = this.#workOn(claim)
    lease.abort.signal.addEventListener('abort', () => {
      this.#leases.delete(claim.id)
      this.#release(work, lease.open)
    })
    this.#held.change(work.run_id, work.account_id, inFlightItems.length)
    this.#claimed += inFlightItems.length
    this.#ctx.telemetry?.measure('assay.claim.size', inFlightItems.length)
    this.#ctx.telemetry?.measure('assay.claim.wait', claim.waited_ms / 1000)
    work.executions++
    const execution = execute(this.#ctx, claim, inFlightItems, work.writer, this.#timing).finally(
      async () => {
        this.#executions.delete(execution)
        this.#notify(work.project_id)
        // A consumer that is never idle must not collect a writer for every run it ever saw.
        if (--work.executions > 0) return
        await work.writer.drained()
        if (work.executions === 0 && this.#work.get(claim.run_id) === work) this.#work.delete(claim.run_id)
      },
    )
    this.#executions.add(execution)
  }

  /** Items that left its hands make room for others. */
  #release(work: Work, items: number): void {
    this.#held.change(work.run_id, work.account_id, -items)
    this.#notify(work.project_id)
  }

  #sinceMs = (then_ms: number) => sinceMs(this.#ctx.now(), then_ms)

  readonly #timing: Timing = {
    yieldMs: () => this.#time.but(LIMITS.yield_before_end_ms),
    leftMs: () => this.#time.but(LIMITS.hand_over_ms),
    wholeMs: () => {
      const whole = stepTimeMs(this.#time.whole())
      return this.#options.stop?.aborted || whole === Number.POSITIVE_INFINITY ? null : whole
    },
    requests: this.#requests,
  }

  #workOn(claim: Claim): Work {
    const known = this.#work.get(claim.run_id)
    if (known) return known
    const { telemetry } = this.#ctx
    const { run_id, project_id, max_consecutive_failures, target } = claim
    const run = { run_id, project_id, agent_id: target.agent_id, max_consecutive_failures }
    const writer = new ResultWriter(this.#ctx, run, this.#causes, {
      onSettled: items => {
        this.#settled += items
        this.#release(work, items)
      },
      trace: telemetry && new RunTrace(this.#ctx, telemetry, claim),
    })
    const work: Work = { run_id, project_id, account_id: target.account_id, writer, executions: 0 }
    this.#work.set(run_id, work)
    return work
  }

  /** Prolongs what is held; what is not ours any more is let go. */
  async #heartbeat(): Promise<void> {
    for (const [id, { lease }] of this.#leases) if (lease.open === 0) this.#leases.delete(id)
    if (this.#leases.size === 0) return
    try {
      // Only what was asked for can be missed: claims are launched while the answer is under way.
      const asked = [...this.#leases].map(([id, of]) => ({ id, ...of }))
      const held = await extendLeases(this.#ctx.sql, asked, LIMITS.lease_ms)
      for (const { id, lease, run_id } of asked) {
        if (held.has(id) || lease.open === 0 || lease.closing || lease.abort.signal.aborted) continue
        this.#ctx.log('warn', 'lease_lost', { run_id, claim_id: id, items: lease.open })
        lease.abort.abort()
      }
    } catch (error) {
      this.#ctx.log('warn', 'heartbeat_failed', { error: String(error) })
    }
  }

  /** Of a run that was aborted nothing may be held any more: PostgreSQL says so now, and not at the next heartbeat. */
  #hear(aborted: string | undefined): void {
    this.#launchGiven()
    const isHeld = [...this.#leases.values()].some(({ run_id }) => run_id === aborted)
    if (isHeld) void this.#heartbeat()
    this.#notify()
  }

  async #untilNextDue(): Promise<number | null> {
    try {
      const leftMs = Math.min(this.#time.but(0), LIMITS.transport_backoff_ms.max)
      return await findNextDue(this.#ctx.sql, leftMs, this.#late())
    } catch {
      return IDLE_MS
    }
  }

  /** Lets what is in flight end or yield, then gives back the rest. */
  async #finish(): Promise<void> {
    // Asked to stop: what is about to end may. Out of time: what did not yield is given back before the platform
    // cuts the invocation off.
    const graceMs = this.#options.stop?.aborted ? LIMITS.drain_ms : this.#timing.leftMs()
    const timer = setTimeout(() => this.#requests.cutAll(), Math.min(graceMs, LIMITS.consume_ms))
    await this.#claimer.ended()
    await Promise.all(this.#executions)
    clearTimeout(timer)
    await Promise.all([...this.#work.values()].map(({ writer }) => writer.drained()))
  }

  /** Something happened, in a project or anywhere: whatever is waited for may be there. */
  #notify(project_id?: string): void {
    this.#claimer.hear(project_id)
    this.#lookAgain()
  }

  #lookAgain(): void {
    this.#woken = true
    this.#endSleep()
  }

  /** Until something happens or the time is over, at most so long: whether that passed. */
  async #sleep(ms: number): Promise<boolean> {
    if (this.#woken) return false
    const isOver = await new Promise<boolean>(resolve => {
      const left_ms = Math.min(ms, this.#time.but(0))
      const timer = setTimeout(() => resolve(true), left_ms)
      this.#endSleep = () => {
        clearTimeout(timer)
        resolve(false)
      }
    })
    this.#endSleep = () => {}
    return isOver
  }
}
