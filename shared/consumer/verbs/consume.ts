// The queue consumer: claims items across all open runs, executes them and settles them until the backlog is empty or
// its time is over. Guarantee: the items it holds when it stops, even by being killed, are offered again.

import type { Refill, ClaimedItem as TakenItem } from '../../claims/queries/claim.ts'
import { findNextDue, isAnyLeftToFresh } from '../../claims/queries/open-runs.ts'
import { type Late, stepTimeMs } from '../../claims/rules/consumer-time.ts'
import { HeldItems } from '../../claims/rules/held-items.ts'
import type { Claim, FollowUp } from '../../claims/verbs/claim.ts'
import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { turn } from '../../kernel/pause.ts'
import { dropTurns, noteTurn } from '../../redis/turns.ts'
import { beginItem, type InFlightItem } from '../../settling/verbs/in-flight-item.ts'
import { type Namers, ResultWriter } from '../../settling/verbs/result-writer.ts'
import { RunTrace } from '../../settling/verbs/run-trace.ts'
import { VersionNamer } from '../../settling/verbs/version-namer.ts'
import { CauseNamer } from '../../triage/verbs/name-causes.ts'
import { KnownUpstreams } from '../../upstreams/verbs/known-upstreams.ts'
import type { Pacer } from '../../upstreams/verbs/pacer.ts'
import { AgentHosts } from './agent-hosts.ts'
import { OpenRequests } from './agent-open-requests.ts'
import { Claimer, type Holder } from './claimer.ts'
import type { Consumed, ConsumeOptions } from './consume-options.ts'
import { execute } from './execute.ts'
import { HeldLeases } from './held-leases.ts'
import { TimeLeft, type Timing } from './timing.ts'

/** Works until nothing is left to do, or the time is over. Any number of consumers may run at once. */
export async function consume(ctx: Context, options: ConsumeOptions = {}): Promise<Consumed> {
  const consumer = new Consumer(ctx, options)
  return consumer.run()
}

const IDLE_MS = 1000 // a notification, a settled flush or a due item ends a wait; this catches what none reports
const DUE_MS = 50 // the shortest wait, since a due item may have to wait for room

/** What a consumer holds of one run. */
interface Work {
  run_id: string
  project_id: string
  account_id: string | null
  deployment_id: string
  writer: ResultWriter
  executions: number
  follow_up: FollowUp | null
}

class Consumer {
  readonly #ctx: Context
  readonly #options: ConsumeOptions
  readonly #time: TimeLeft
  readonly #requests = new OpenRequests()
  /** Runs of whose agents stray lines were logged. */
  readonly #logged = new Set<string>()
  readonly #hosts = new AgentHosts(() => this.#ctx.now())
  readonly #upstreams: KnownUpstreams
  readonly #work = new Map<string, Work>()
  readonly #pacer: Pacer
  readonly #claimer: Claimer
  readonly #namers: Namers
  readonly #leases: HeldLeases
  readonly #executions = new Set<Promise<void>>()
  /** When the last poll ended, and the id under which that is noted in Redis. */
  #looked_ms: number
  readonly #id: string
  readonly #held = new HeldItems()
  #claimed = 0
  #settled = 0
  #endSleep: () => void = () => {}
  #woken = false
  /** It finishes the items it has, and takes no more. */
  #isLeaving = false

  constructor(ctx: Context, options: ConsumeOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#namers = { causes: new CauseNamer(ctx), versions: new VersionNamer(ctx) }
    this.#upstreams = KnownUpstreams.of(ctx)
    this.#pacer = this.#upstreams.pacer
    this.#time = new TimeLeft(() => ctx.now(), options.time_ms, options.began_ms)
    this.#looked_ms = ctx.now()
    this.#id = ctx.newId()
    this.#claimer = new Claimer(ctx, this.#holder)
    this.#leases = new HeldLeases(ctx)
    options.onWake?.(aborted => this.#hear(aborted))
    if (options.given) options.given.hasRoom = (...of) => this.#hasRoom(...of)
  }

  async run(): Promise<Consumed> {
    let noted = false
    const heartbeat = setInterval(() => {
      void noteTurn(this.#ctx.redis, 'consumer', this.#id, this.#sinceMs(this.#looked_ms))
      noted = true
      void this.#leases.extend()
    }, LIMITS.heartbeat_ms)
    const noPermits = this.#pacer.onPermits(() => this.#lookAgain())
    const onStop = () => this.#notify() // the signal outlives the invocation and must not keep it in memory
    this.#options.stop?.addEventListener('abort', onStop)
    const hasStarted = this.#launchGiven()
    let more = false
    let looksInVain = 0
    let heard_ms = this.#ctx.now()
    try {
      if (hasStarted) await turn() // their requests are written before anything is polled
      while (!this.#isOver()) {
        this.#woken = false
        if (this.#sinceMs(heard_ms) >= IDLE_MS) {
          heard_ms = this.#ctx.now()
          this.#claimer.hear()
        }
        void this.#upstreams.look() // beside: claims need not wait for it
        await this.#claimer.look()
        this.#looked_ms = this.#ctx.now()
        if (this.#claimer.isAtWork) {
          await this.#sleep(IDLE_MS)
          continue
        }
        const within_ms = Math.min(this.#time.but(0), LIMITS.transport_backoff_ms.max)
        const nextMs = await findNextDue(this.#ctx.sql, within_ms, this.#late()).catch(() => IDLE_MS)
        const isIdle = this.#held.all === 0 && this.#executions.size === 0 && !this.#woken
        // Due items that two polls could not claim are held back by other consumers' items: theirs to continue with.
        looksInVain = isIdle && nextMs === 0 ? looksInVain + 1 : 0
        if (isIdle && !this.#claimer.isPaced && (nextMs === null || looksInVain === 2)) break
        if (isIdle) this.#claimer.hear() // it ends only after one more try
        const isDue = await this.#sleep(Math.min(Math.max(nextMs ?? IDLE_MS, DUE_MS), IDLE_MS))
        if (isDue && nextMs !== 0) this.#claimer.hear()
      }
      this.#isLeaving = true
      more = this.#isOver() || (await this.#leavesToFresh())
      // The successor starts while this invocation is still giving back items that did not yield.
      if (this.#isOver()) this.#options.onHandOver?.()
      await this.#finish()
    } finally {
      clearInterval(heartbeat)
      noPermits()
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

  /** The time it has left; undefined if it has just started, has no time limit or is asked to stop. */
  #late(): Late | undefined {
    const whole_ms = this.#timing.wholeMs()
    if (whole_ms === null || this.#time.sinceBegan() < LIMITS.consumer_fresh_ms) return undefined
    return { left_ms: this.#timing.leftMs(), whole_ms, base_url: this.#ctx.config.base_url }
  }

  /** Whether items wait for a consumer that has just started, so that the next one should begin at once. */
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
    pacer: () => this.#pacer,
  }

  /** Whether it takes a claim from a submission; if other items wait, or places are scarce, it chooses by itself. */
  #hasRoom(items: number, project_id: string): boolean {
    const isFree = this.#holder.held() + items <= LIMITS.items_in_flight_per_consumer / 2
    return (
      isFree && this.#pacer.isFree(project_id) && this.#claimer.isIdle && !this.#isLeaving && !this.#isOver()
    )
  }

  /** Returns whether there were any. */
  #launchGiven(): boolean {
    const claims = this.#isLeaving ? [] : (this.#options.given?.take() ?? [])
    for (const claim of claims) this.#launch(claim)
    return claims.length > 0
  }

  #launch(claim: Claim): void {
    const lease = this.#leases.begin(claim)
    const inFlightItems: InFlightItem[] = claim.items.map(item => beginItem(item, lease))
    const work = this.#workOn(claim)
    work.follow_up = claim.follow_up ?? work.follow_up
    lease.abort.signal.addEventListener('abort', () => this.#release(work, lease.open))
    this.#held.change(work.run_id, work.account_id, inFlightItems.length)
    this.#pacer.begin(claim.target.deployment_id, inFlightItems.length)
    this.#claimed += inFlightItems.length
    this.#ctx.telemetry?.measure('assay.claim.size', inFlightItems.length)
    this.#ctx.telemetry?.measure('assay.claim.wait', claim.waited_ms / 1000)
    work.executions++
    const execution = execute(this.#ctx, claim, inFlightItems, work.writer, this.#timing).finally(
      async () => {
        this.#executions.delete(execution)
        // As long as it holds items, their flushes report the places that become free.
        if (this.#held.all === 0) this.#notify(work.project_id)
        // A consumer that is never idle must not collect a writer for every run it ever saw.
        if (--work.executions > 0) return
        await work.writer.drained()
        if (work.executions === 0 && this.#work.get(claim.run_id) === work) this.#work.delete(claim.run_id)
      },
    )
    this.#executions.add(execution)
  }

  /** Items that left the consumer make room for others; places that a flush has filled again do not. */
  #release(work: Work, items: number, taken = 0): void {
    this.#held.change(work.run_id, work.account_id, -items)
    this.#pacer.end(work.deployment_id, items)
    if (taken < items) this.#notify(work.project_id)
  }

  /** What a flush may take for the places that it frees: the run's next items, while nothing else is known to wait. */
  #refill({ follow_up, run_id }: Work, freed: number): Refill | null {
    if (follow_up === null || this.#isLeaving || this.#isOver() || this.#late() !== undefined) return null
    if (this.#pacer.room(follow_up.deployment_id) !== null) return null
    const isRecent = this.#sinceMs(follow_up.read_ms) < LIMITS.refill_ms
    return isRecent && this.#claimer.isAlone(run_id) ? follow_up.refill(freed) : null
  }

  /** Begins the items that a flush took. If that fails, they are offered again when their lease ends. */
  #refilled({ follow_up, run_id, account_id }: Work, taken: readonly TakenItem[]): void {
    const onError = (error: unknown) => this.#ctx.log('warn', 'turn_failed', { run_id, error: String(error) })
    this.#held.change(run_id, account_id, taken.length)
    const started = follow_up!
      .claim(taken)
      .finally(() => this.#held.change(run_id, account_id, -taken.length))
      .then(claim => this.#launch(claim), onError)
      .finally(() => this.#executions.delete(started))
    this.#executions.add(started)
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
    hosts: this.#hosts,
    upstreams: () => this.#upstreams,
    isNews: run_id => {
      const isNews = !this.#logged.has(run_id)
      if (this.#logged.size >= LIMITS.open_runs_per_look) this.#logged.clear()
      this.#logged.add(run_id)
      return isNews
    },
  }

  #workOn(claim: Claim): Work {
    const known = this.#work.get(claim.run_id)
    if (known) return known
    const { telemetry } = this.#ctx
    const { run_id, project_id, max_consecutive_failures } = claim
    const { account_id, agent_id, deployment_id } = claim.target
    const run = { run_id, project_id, agent_id, max_consecutive_failures }
    const writer = new ResultWriter(this.#ctx, run, this.#namers, {
      refill: freed => this.#refill(work, freed),
      onSettled: (items, taken) => {
        this.#settled += items
        for (const claimed of taken) this.#refilled(work, claimed)
        this.#release(work, items, taken.flat().length)
      },
      trace: telemetry && new RunTrace(this.#ctx, telemetry, claim),
    })
    const work: Work = {
      run_id,
      project_id,
      account_id,
      deployment_id,
      writer,
      executions: 0,
      follow_up: null,
    }
    this.#work.set(run_id, work)
    return work
  }

  /** An aborted run must release its items at once, so PostgreSQL is asked now instead of at the next heartbeat. */
  #hear(aborted: string | undefined): void {
    this.#launchGiven()
    if (this.#leases.isOfRun(aborted)) void this.#leases.extend()
    this.#notify()
  }

  /** Lets items in flight end or yield, then gives back the rest. */
  async #finish(): Promise<void> {
    // If it is asked to stop, items that are about to end may do so. If it is out of time, items that did not yield are
    // given back before the platform cuts the invocation off.
    const graceMs = this.#options.stop?.aborted ? LIMITS.drain_ms : this.#timing.leftMs()
    const timer = setTimeout(() => this.#requests.cutAll(), Math.min(graceMs, LIMITS.consume_ms))
    await this.#claimer.ended()
    do {
      await Promise.all(this.#executions)
      await Promise.all([...this.#work.values()].map(({ writer }) => writer.drained()))
    } while (this.#executions.size + this.#work.size > 0) // a flush that was under way took more
    clearTimeout(timer)
  }

  /** Something happened, in one project or in any: there may be items or room now. */
  #notify(project_id?: string): void {
    this.#claimer.hear(project_id)
    this.#lookAgain()
  }

  #lookAgain(): void {
    this.#woken = true
    this.#endSleep()
  }

  /** Waits until something happens or the time is over, at most `ms`; returns whether the wait ran out. */
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
