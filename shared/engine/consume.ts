// The queue consumer: claims items across all open runs, executes them and settles them until the pile is empty or
// its time is over. Guarantee: whatever it holds when it stops, even by being killed, is offered again.

import type { Context } from '../context.ts'
import type { Wait } from '../domain/admission.ts'
import { LIMITS } from '../domain/limits.ts'
import { dropTurns, noteTurn } from '../hints/turns.ts'
import { type Late, stepTimeMs } from '../items/rules/consumer-time.ts'
import { OpenRequests } from '../items/verbs/agent-open-requests.ts'
import { CauseNamer } from '../recovery/verbs/causes.ts'
import { extendLeases, findNextDue, findOpenRuns, isAnyLeftToFresh, type OpenRun } from '../store/claims.ts'
import { pauseForMoney, sweepStopped } from '../store/stop.ts'
import { type Claim, claimItems } from './claim.ts'
import type { Consumed, ConsumeOptions } from './consume-options.ts'
import { deliverSoon } from './deliver.ts'
import { execute } from './execute.ts'
import { type Flight, type Lease, takeOff } from './flight.ts'
import { RunTrace, traceRunEnd } from './run-trace.ts'
import { Settler } from './settler.ts'
import type { Timing } from './timing.ts'

/** Works until nothing is left to do, or the time is over. Any number of consumers may run at once. */
export async function consume(ctx: Context, options: ConsumeOptions = {}): Promise<Consumed> {
  const consumer = new Consumer(ctx, options)
  return consumer.run()
}

const IDLE_MS = 1000 // a wait ends by a poke, a settled flush or a due item; this catches what none of them tells
const RETRY_MS = 200
const DUE_MS = 50 // at least, since an item that is due may have to wait for room

/** Money that is not the run's own: its items are paused until there is some again. */
const FOR_MONEY: ReadonlySet<Wait> = new Set(['credit', 'period_budget', 'price'])

const claimsWorthMaking = (run: OpenRun) =>
  run.stop_reason
    ? 1
    : Math.max(1, Math.min(LIMITS.claims_at_once, Math.floor(run.fresh / LIMITS.claim_items)))

class Consumer {
  readonly #ctx: Context
  readonly #options: ConsumeOptions
  readonly #endsAt: number
  readonly #beganAt: number
  readonly #requests = new OpenRequests()
  readonly #settlers = new Map<string, { settler: Settler; lanes: number }>()
  readonly #causes: CauseNamer
  readonly #leases = new Map<number, { lease: Lease; run_id: string }>()
  readonly #lanes = new Set<Promise<void>>()
  /** When the last look ended, and by which name that was noted. */
  #looked_ms: number
  readonly #id: string
  #inFlight = 0
  #claimed = 0
  #settled = 0
  #wake: () => void = () => {}
  #woken = false

  constructor(ctx: Context, options: ConsumeOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#causes = new CauseNamer(ctx)
    this.#endsAt = ctx.now() + (options.time_ms ?? Number.POSITIVE_INFINITY)
    this.#beganAt = options.began_ms ?? ctx.now()
    this.#looked_ms = ctx.now()
    this.#id = ctx.newId()
    options.onWake?.(aborted => this.#hear(aborted))
  }

  async run(): Promise<Consumed> {
    let noted = false
    const heartbeat = setInterval(() => {
      noteTurn(this.#ctx.redis, 'consumer', this.#id, this.#ctx.now() - this.#looked_ms)
      noted = true
      void this.#heartbeat()
    }, LIMITS.heartbeat_ms)
    // The signal outlives the invocation and must not hold on to it.
    const onStop = () => this.#rouse()
    this.#options.stop?.addEventListener('abort', onStop)
    let more = false
    let looksInVain = 0
    try {
      while (!this.#isOver()) {
        this.#woken = false
        const progress = await this.#look()
        this.#looked_ms = this.#ctx.now()
        if (progress) continue
        const nextMs = await this.#untilNextDue()
        const isIdle = this.#inFlight === 0 && this.#lanes.size === 0 && !this.#woken
        // What is due and was not to be had twice is kept back by what others hold: theirs to go on with.
        looksInVain = isIdle && nextMs === 0 ? looksInVain + 1 : 0
        if (isIdle && (nextMs === null || looksInVain === 2)) break
        await this.#sleep(
          Math.min(Math.max(nextMs ?? IDLE_MS, DUE_MS), this.#endsAt - this.#ctx.now(), IDLE_MS),
        )
      }
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
      this.#ctx.now() >= this.#endsAt - (this.#options.time_ms === undefined ? 0 : LIMITS.yield_before_end_ms)
    )
  }

  /** What it has left, unless it has its time before it. */
  #late(): Late | undefined {
    const whole_ms = this.#timing.wholeMs()
    if (whole_ms === null || this.#ctx.now() < this.#beganAt + LIMITS.consumer_fresh_ms) return undefined
    return { left_ms: this.#timing.leftMs(), whole_ms, base_url: this.#ctx.config.base_url }
  }

  /** Something waits for a consumer that has just begun: the next one should begin at once. */
  async #leavesToFresh(): Promise<boolean> {
    const late = this.#late()
    return late !== undefined && isAnyLeftToFresh(this.#ctx.sql, late).catch(() => false)
  }

  /** One look over the open runs; true when anything was claimed or swept. */
  async #look(): Promise<boolean> {
    try {
      const runs = await findOpenRuns(this.#ctx.sql, LIMITS.open_runs_per_look, this.#late())
      let progress = false
      // A long pile is claimed from several times in one look, so that the round trips overlap.
      const turns = runs.flatMap(run => Array<OpenRun>(claimsWorthMaking(run)).fill(run))
      for (let i = 0; i < turns.length && !this.#isOver(); i += LIMITS.claims_at_once) {
        if (this.#inFlight >= LIMITS.items_in_flight_per_consumer) break
        const took = await Promise.all(turns.slice(i, i + LIMITS.claims_at_once).map(run => this.#turn(run)))
        progress ||= took.includes(true)
      }
      return progress
    } catch (error) {
      // PostgreSQL is restarting: the next look tries again.
      this.#ctx.log('warn', 'look_failed', { error: String(error) })
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      return true
    }
  }

  /** What one run gets of a look; true when something was done for it. */
  async #turn(run: OpenRun): Promise<boolean> {
    try {
      if (!run.stop_reason) return await this.#claim(run.id)
      const more = await sweepStopped(this.#ctx.sql, run.id, LIMITS.sweep_items)
      if (!more) {
        deliverSoon(this.#ctx)
        traceRunEnd(this.#ctx, run.id)
      }
      return more
    } catch (error) {
      // A run that cannot be served must not keep the others from being served.
      this.#ctx.log('warn', 'turn_failed', { run_id: run.id, error: String(error) })
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      return true
    }
  }

  async #claim(runId: string): Promise<boolean> {
    const most = Math.min(LIMITS.claim_items, LIMITS.items_in_flight_per_consumer - this.#inFlight)
    const { claim, waiting_for } = await claimItems(this.#ctx, runId, most, this.#late())
    if (waiting_for === 'stopped') return true // the next look sweeps it
    if (waiting_for !== null && FOR_MONEY.has(waiting_for))
      return (await pauseForMoney(this.#ctx.sql, runId, LIMITS.sweep_items)) > 0
    if (!claim) return false
    this.#launch(claim)
    return true
  }

  #launch(claim: Claim): void {
    const open = claim.items.length
    const taken_ms = this.#ctx.now()
    const lease: Lease = { claim_id: claim.id, taken_ms, open, closing: false, abort: new AbortController() }
    const flights: Flight[] = claim.items.map(item => takeOff(item, lease))
    this.#leases.set(claim.id, { lease, run_id: claim.run_id })
    lease.abort.signal.addEventListener('abort', () => {
      this.#leases.delete(claim.id)
      this.#inFlight -= lease.open
      this.#rouse()
    })
    this.#inFlight += flights.length
    this.#claimed += flights.length
    this.#ctx.telemetry?.measure('assay.claim.size', flights.length)
    this.#ctx.telemetry?.measure('assay.claim.wait', claim.waited_ms / 1000)
    const used = this.#settlerOf(claim)
    used.lanes++
    const lane = execute(this.#ctx, claim, flights, used.settler, this.#timing).finally(async () => {
      this.#lanes.delete(lane)
      this.#rouse()
      // A consumer that is never idle must not collect a settler for every run it ever saw.
      if (--used.lanes > 0) return
      await used.settler.drained()
      if (used.lanes === 0 && this.#settlers.get(claim.run_id) === used) this.#settlers.delete(claim.run_id)
    })
    this.#lanes.add(lane)
  }

  #untilEnd = (ms: number) => Math.max(0, this.#endsAt - ms - this.#ctx.now())

  readonly #timing: Timing = {
    yieldMs: () => this.#untilEnd(LIMITS.yield_before_end_ms),
    leftMs: () => this.#untilEnd(LIMITS.hand_over_ms),
    wholeMs: () => {
      const whole = stepTimeMs(this.#endsAt - this.#beganAt)
      return this.#options.stop?.aborted || whole === Number.POSITIVE_INFINITY ? null : whole
    },
    requests: this.#requests,
  }

  #settlerOf(claim: Claim): { settler: Settler; lanes: number } {
    let used = this.#settlers.get(claim.run_id)
    if (!used) {
      const { telemetry } = this.#ctx
      const { run_id, project_id, max_consecutive_failures, target } = claim
      const run = { run_id, project_id, agent_id: target.agent_id, max_consecutive_failures }
      const settler = new Settler(this.#ctx, run, this.#causes, {
        onSettled: items => {
          this.#settled += items
          this.#inFlight -= items
          this.#rouse()
        },
        trace: telemetry && new RunTrace(this.#ctx, telemetry, claim),
      })
      used = { settler, lanes: 0 }
      this.#settlers.set(claim.run_id, used)
    }
    return used
  }

  /** Prolongs what is held; what is not ours any more is let go. */
  async #heartbeat(): Promise<void> {
    for (const [id, { lease }] of this.#leases) if (lease.open === 0) this.#leases.delete(id)
    if (this.#leases.size === 0) return
    try {
      // Only what was asked for can be missed: claims are launched while the answer is under way.
      const asked = [...this.#leases]
      const held = await extendLeases(this.#ctx.sql, [...this.#leases.keys()], LIMITS.lease_ms)
      for (const [id, { lease, run_id }] of asked) {
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
    const isHeld = [...this.#leases.values()].some(({ run_id }) => run_id === aborted)
    if (isHeld) void this.#heartbeat()
    this.#rouse()
  }

  async #untilNextDue(): Promise<number | null> {
    try {
      const leftMs = Math.min(this.#endsAt - this.#ctx.now(), LIMITS.transport_backoff_ms.max)
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
    await Promise.all(this.#lanes)
    clearTimeout(timer)
    await Promise.all([...this.#settlers.values()].map(({ settler }) => settler.drained()))
  }

  #rouse(): void {
    this.#woken = true
    this.#wake()
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#woken) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, Math.max(0, ms))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = () => {}
  }
}
