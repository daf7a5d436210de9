// Claims items for one consumer from all runs that have some to offer. Guarantee: claims of different runs do not wait
// for each other, and their items count as taken while places are shared out. A run that had nothing to give is tried
// again only when something happened in its project.

import { findOpenRuns, type OpenRun } from '../../claims/queries/open-runs.ts'
import type { Wait } from '../../claims/rules/admission.ts'
import type { Late } from '../../claims/rules/consumer-time.ts'
import { type HeldHere, shareOut } from '../../claims/rules/fair-share.ts'
import { type Claim, claimItems } from '../../claims/verbs/claim.ts'
import type { Context } from '../../context.ts'
import { pauseForMoney, sweepStopped } from '../../items/queries/stop.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { pause } from '../../kernel/pause.ts'
import { isToLog } from '../../kernel/throttle.ts'
import { deliverSoon } from '../../outbox/verbs/deliver.ts'
import { traceRunEnd } from '../../settling/verbs/run-trace.ts'
import type { Declaring } from '../../upstreams/verbs/paced.ts'
import type { Pacer } from '../../upstreams/verbs/pacer.ts'

/** The consumer that claims are made for. */
export interface Holder {
  /** Items in flight in all, and items with a reserved place. */
  held(): number
  here: HeldHere
  late(): Late | undefined
  isOver(): boolean
  launch(claim: Claim): void
  /** Asks for another poll. */
  lookAgain(): void
  /** How fast items may begin. */
  pacer(): Pacer
}

interface UnderWay {
  run: OpenRun
  /** Items asked for. */
  items: number
  /** Something happened since it began. */
  isOutdated: boolean
  ended: Promise<void>
}

/** The result of one try. */
type Outcome = 'progress' | 'vain' | 'failed'

const sum = (claims: readonly UnderWay[]) => claims.reduce((items, one) => items + one.items, 0)

const declaringOf = ({ project_id, agent_id, deployment_id, limits }: OpenRun): Declaring[] =>
  limits === null || deployment_id === null ? [] : [{ project_id, agent_id, deployment_id, limits }]

/** Waits for money that is not the run's own budget: its items are paused until there is some again. */
const FOR_MONEY: ReadonlySet<Wait> = new Set(['credit', 'period_budget', 'price'])

export class Claimer {
  readonly #ctx: Context
  readonly #holder: Holder
  readonly #underWay = new Set<UnderWay>()
  /** The runs that the last poll found. */
  #found: readonly OpenRun[] = []
  /** How often something happened: by now, and when that poll began. */
  #heard = 0
  #heardBefore = -1
  /** Runs that had nothing to give, with their projects. */
  readonly #vain = new Map<string, string>()
  /** Runs that could not be served, set aside for a while: they must not keep places from others. */
  readonly #failed = new Map<string, ReturnType<typeof setTimeout>>()

  constructor(ctx: Context, holder: Holder) {
    this.#ctx = ctx
    this.#holder = holder
  }

  /** Whether the last poll found no open run, and nothing is under way. */
  get isIdle(): boolean {
    return this.#found.length === 0 && !this.isAtWork
  }

  /** Whether the last poll found no other run that could use this one's places, and nothing has happened since. */
  isAlone(run_id: string): boolean {
    const isOther = ({ id }: OpenRun) => id !== run_id
    return (
      this.#heard === this.#heardBefore &&
      !this.#found.some(isOther) &&
      this.#count(isOther) + this.#failed.size === 0
    )
  }

  /** Whether the last poll left items to others or to later, since what they need is limited. */
  isPaced = false

  /** Whether a claim or sweep is under way, or will be tried again by itself. */
  get isAtWork(): boolean {
    return this.#underWay.size + this.#failed.size > 0
  }

  /** Something may have made room, in one project or in all: runs that were tried in vain are worth another try. */
  hear(project_id?: string): void {
    this.#heard++
    const isHeard = (id: string) => project_id === undefined || project_id === id
    for (const one of this.#underWay) if (isHeard(one.run.project_id)) one.isOutdated = true
    for (const [run_id, id] of this.#vain) if (isHeard(id)) this.#vain.delete(run_id)
  }

  /** Polls the open runs once; begins claims and sweeps, and does not wait for them. */
  async look(): Promise<void> {
    try {
      const heard = this.#heard
      const pacer = this.#holder.pacer()
      const [found] = await Promise.all([
        findOpenRuns(this.#ctx.sql, LIMITS.open_runs_per_look, this.#holder.late()),
        pacer.know(this.#found.map(({ project_id }) => project_id)),
      ])
      await pacer.know(found.map(({ project_id }) => project_id))
      await pacer.declare(found.flatMap(declaringOf))
      this.#found = found
      this.#heardBefore = heard
      const runs = found.filter(({ id }) => !this.#vain.has(id) && !this.#failed.has(id))
      const places = this.#shares(runs.filter(run => !run.stop_reason))
      for (const run of runs)
        if (run.stop_reason) this.#sweep(run)
        else this.#claim(run, places.get(run.id) ?? 0)
    } catch (error) {
      // PostgreSQL is restarting: the next poll tries again.
      if (isToLog(this.#ctx, `look_failed ${error}`))
        this.#ctx.log('warn', 'look_failed', { error: String(error) })
      await pause(LIMITS.look_retry_ms)
      this.#holder.lookAgain()
    }
  }

  /** Resolves when nothing is under way any more. */
  async ended(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all([...this.#underWay].map(({ ended }) => ended))
    for (const timer of this.#failed.values()) clearTimeout(timer)
  }

  /** How many items to claim by run. Items already asked for count as in flight, so that a place is given once. */
  #shares(runs: readonly OpenRun[]): ReadonlyMap<string, number> {
    const asked = (belongs: (run: OpenRun) => boolean) =>
      sum([...this.#underWay].filter(one => belongs(one.run)))
    const free = LIMITS.items_in_flight_per_consumer - this.#holder.held() - asked(() => true)
    const seen = runs.map(run => {
      const ofRun = asked(({ id }) => id === run.id)
      const ofProject = asked(({ project_id }) => project_id === run.project_id)
      return {
        ...run,
        waiting: run.waiting - ofRun,
        running: run.running + ofRun,
        room: run.room === null ? null : run.room - ofRun,
        project_running: run.project_running + ofProject,
        project_room: run.project_room - ofProject,
      }
    })
    return shareOut(free, this.#paced(seen), {
      ofRun: id => this.#holder.here.ofRun(id) + asked(run => run.id === id),
      ofAccount: id => this.#holder.here.ofAccount(id) + asked(run => run.account_id === id),
    })
  }

  /** Runs that need the same limited upstreams share the permits for them, the least recently touched first. */
  #paced<Run extends OpenRun>(runs: readonly Run[]): Run[] {
    const pacer = this.#holder.pacer()
    this.isPaced = false
    const paced: Run[] = []
    for (const [bound, own] of Map.groupBy(runs, run => pacer.boundBy(run.deployment_id ?? ''))) {
      const waiting = own.reduce(
        (sum, run) => sum + Math.max(0, Math.min(run.waiting, run.room ?? run.waiting)),
        0,
      )
      const permits = pacer.room(own[0]!.deployment_id ?? '') ?? 0
      if (bound !== '' && waiting > 0) this.isPaced = true
      if (bound !== '') pacer.want(own[0]!.deployment_id!, waiting)
      for (const [nth, run] of own.entries()) {
        const share = Math.floor(permits / own.length) + Number(nth < permits % own.length)
        paced.push(bound === '' ? run : { ...run, room: Math.min(run.room ?? share, share) })
      }
    }
    return paced
  }

  #count = (is: (run: OpenRun) => boolean) => [...this.#underWay].filter(one => is(one.run)).length

  /** Ending a backlog means many items that nobody waits for, so sweeps take at most half the turns. */
  #sweep(run: OpenRun): void {
    const isFree = this.#count(({ stop_reason }) => stop_reason !== null) < LIMITS.claims_at_once
    if (isFree && this.#count(({ id }) => id === run.id) === 0) this.#begin(run, 0)
  }

  /**
   * A long backlog gets several claims at once, so that their round trips overlap. Less than a whole claim waits for
   * the one under way: places become free a few at a time, and each claim costs a commit.
   */
  #claim(run: OpenRun, places: number): void {
    let claims = this.#count(({ id }) => id === run.id)
    // Runs that need only some of the same upstreams were shared out apart.
    const permits = run.deployment_id === null ? null : this.#holder.pacer().room(run.deployment_id)
    for (
      let left = Math.min(places, permits ?? places);
      left > 0 && claims < LIMITS.claims_at_once;
      claims++
    ) {
      const items = Math.min(left, LIMITS.claim_items)
      if ((claims > 0 && items < LIMITS.claim_items) || !this.#begin(run, items)) return
      left -= items
    }
  }

  #begin(run: OpenRun, items: number): boolean {
    // Claims of one project wait for each other's locks, and all claims for connections that flushes need too.
    const most = Math.max(1, Math.min(LIMITS.claims_under_way, this.#ctx.sql.options.max - 1))
    const ofProject = this.#count(({ project_id }) => project_id === run.project_id)
    if (this.#underWay.size >= most || ofProject >= LIMITS.claims_at_once || this.#holder.isOver())
      return false
    const one: UnderWay = { run, items, isOutdated: false, ended: Promise.resolve() }
    this.#underWay.add(one)
    const { deployment_id } = run
    if (deployment_id !== null) this.#holder.pacer().claiming(deployment_id, items)
    one.ended = this.#try(run, items).then(outcome => {
      this.#underWay.delete(one)
      if (deployment_id !== null) this.#holder.pacer().claiming(deployment_id, -items)
      if (outcome === 'vain' && !one.isOutdated) this.#vain.set(run.id, run.project_id)
      if (outcome === 'failed') this.#setAside(run.id)
      this.#holder.lookAgain()
    })
    return true
  }

  async #try(run: OpenRun, items: number): Promise<Outcome> {
    try {
      const key = { project_id: run.project_id, run_id: run.id }
      return run.stop_reason ? await this.#end(key) : await this.#take(key, items)
    } catch (error) {
      // A run that cannot be served must not keep the others from being served.
      this.#ctx.log('warn', 'turn_failed', { run_id: run.id, error: String(error) })
      return 'failed'
    }
  }

  #setAside(run_id: string): void {
    clearTimeout(this.#failed.get(run_id))
    const tryAgain = () => {
      this.#failed.delete(run_id)
      this.#holder.lookAgain()
    }
    this.#failed.set(run_id, setTimeout(tryAgain, LIMITS.look_retry_ms))
  }

  async #end(run: RunKey): Promise<Outcome> {
    if (await sweepStopped(this.#ctx.sql, run, LIMITS.sweep_items)) return 'progress'
    deliverSoon(this.#ctx)
    traceRunEnd(this.#ctx, run.run_id)
    return 'vain'
  }

  async #take(run: RunKey, items: number): Promise<Outcome> {
    const { claim, waiting_for } = await claimItems(this.#ctx, run, items, this.#holder.late())
    if (waiting_for === 'stopped') return 'progress' // the next poll sweeps it
    if (waiting_for !== null && FOR_MONEY.has(waiting_for))
      return (await pauseForMoney(this.#ctx.sql, run, LIMITS.sweep_items)) > 0 ? 'progress' : 'vain'
    if (!claim) return 'vain'
    this.#holder.launch(claim)
    return 'progress'
  }
}
