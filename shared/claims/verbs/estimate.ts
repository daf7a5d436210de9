// Says how long a run takes from now on, or would take if it began. Guarantee: it asks and locks nothing that work needs, and
// where it cannot know, it says why.

import type { Sql } from '../../context.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { askedLately } from '../../pacing/rules/declared-pace.ts'
import { type Cap, estimateOf, type ItemAsks, type NeededUpstream } from '../../pacing/rules/estimate.ts'
import type { NamedLimits } from '../../pacing/rules/named-limits.ts'
import { findRunWaits } from '../../upstreams/queries/shown-upstreams.ts'
import { sayUpstream, upstreamName } from '../../upstreams/rules/upstream-words.ts'
import type { Foreseen } from '../../upstreams/wire/estimate.ts'
import * as store from '../queries/estimate.ts'
import { type ReadRun, readRun } from '../queries/run-facts.ts'
import { isSpent } from '../rules/admission.ts'
import { waitOf } from '../rules/why.ts'
import { admissionFacts } from './claim.ts'
import { type Needed, type NeededFor, readNeeded } from './needed-upstreams.ts'

/** So many items say what the next ones ask. */
const KNOWN_ITEMS = 200
/** A pace is of so many items, which began over so long: claims take several at once. */
const PACE_ITEMS = { least: 40, most: 5000 }
const PACE_S = 10

/** How long an open run takes from now on; undefined if it has ended. */
export async function estimateRun(sql: Sql, key: RunKey): Promise<Foreseen | undefined> {
  const run = await readRun(sql, key)
  if (run === undefined) return undefined
  const unknown = whyUnknown(run) ?? (await waitOutside(sql, key))
  if (unknown !== undefined) return { unknown }
  const { concurrency, project_concurrency, ...facts } = capsOf(run)
  return estimate(sql, {
    ...facts,
    project_id: key.project_id,
    agent_id: run.agent_id,
    run,
    queued: run.queued,
    running: run.running,
    concurrency,
    project_concurrency,
    limits: null,
    isAlone: false,
  })
}

function capsOf(run: ReadRun) {
  const { run_concurrency, agent_concurrency, project_concurrency } = admissionFacts(run)
  const concurrency = lowest(run_concurrency, agent_concurrency)
  return { concurrency, project_concurrency, deployment_id: run.deployment!.id }
}

const lowest = (...caps: (number | null)[]): number =>
  Math.min(...caps.map(cap => cap ?? Number.POSITIVE_INFINITY))

/** Waits of which nobody knows the end; places and the money of items in flight come back by themselves. */
function whyUnknown(run: ReadRun): string | undefined {
  const facts = admissionFacts(run)
  if (run.stop_reason !== null) return 'nothing more of it begins'
  if (run.unavailable !== null) return run.unavailable
  const isBroke =
    isSpent(facts.credit_micro, facts.spent_micro) ||
    isSpent(facts.budget_micro, facts.cost_micro) ||
    facts.periods.some(({ limit_micro, spent_micro }) => isSpent(limit_micro, spent_micro))
  const isShut =
    facts.is_held || facts.is_suspended || !facts.has_deployment || facts.waits_for_price !== null
  if (isBroke || isShut) return waitOf(facts)?.message ?? 'it waits for money'
  return run.queued + run.running === 0 ? 'all that is left of it is held' : undefined
}

async function waitOutside(sql: Sql, { project_id, run_id }: RunKey): Promise<string | undefined> {
  const wait = (await findRunWaits(sql, project_id, [run_id])).get(run_id)
  if (wait === undefined || wait.upstream?.state === 'cooling') return undefined
  return wait.upstream === null ? 'it goes on in a moment' : sayUpstream(wait.upstream)
}

/** A run that is to start. */
export interface ToStart {
  project_id: string
  agent_id: string
  items: number
  concurrency: number | null
  /** What its schedule carries. */
  limits?: readonly NamedLimits[] | null
  /** Other runs will have ended by then. */
  isAlone?: boolean
}

export interface ForeseenStart {
  deployment_version: number | null
  foreseen: Foreseen
}

/** How long a run would take that has not started. */
export async function estimateStart(sql: Sql, start: ToStart): Promise<ForeseenStart> {
  const { project_id, agent_id, items, limits = null, isAlone = false } = start
  const facts = await store.readStartable(sql, project_id, agent_id)
  const deployment_version = facts?.deployment_version ?? null
  const as = (foreseen: Foreseen) => ({ deployment_version, foreseen })
  if (facts === undefined || facts.deployment_id === null)
    return as({ unknown: 'nothing is deployed for its agent yet' })
  if (facts.is_held) return as({ unknown: 'the installation is held: nothing is dispatched' })
  if (facts.is_suspended) return as({ unknown: 'the account is suspended: nothing of it is dispatched' })
  const { deployment_id, declared_concurrency, project_concurrency } = facts
  return as(
    await estimate(sql, {
      project_id,
      agent_id,
      deployment_id,
      run: null,
      queued: items,
      running: 0,
      concurrency: lowest(start.concurrency, declared_concurrency),
      project_concurrency,
      limits,
      isAlone,
    }),
  )
}

interface Asked extends NeededFor {
  run: ReadRun | null
  queued: number
  running: number
  concurrency: number
  project_concurrency: number
}

async function estimate(sql: Sql, asked: Asked): Promise<Foreseen> {
  const { project_id, agent_id, run, queued, running, isAlone } = asked
  const [beginning, earlier, { now_ms, needed }, pace] = await Promise.all([
    isAlone ? [] : store.listBeginning(sql, project_id),
    store.listEarlier(sql, { project_id, agent_id, run_id: run?.id ?? null }),
    readNeeded(sql, asked),
    run === null ? null : paceOf(sql, run),
  ])
  const ownFirst = earlier.toSorted((a, b) => Number(b.id === run?.id) - Number(a.id === run?.id))
  const asks = asksOf(ownFirst)
  if (asks === null) return { unknown: 'no item of this agent has run yet' }
  const others = beginning.filter(({ id, queued }) => id !== run?.id && queued > 0)
  const shut = needed.find(({ state }) => state !== 'open' && state !== 'cooling')
  if (shut !== undefined) return { unknown: sayUpstream({ ...shut, reason: shut.words }) }
  return estimateOf({
    now_ms,
    queued,
    running,
    item: { calls: Math.max(1, asks.calls), seconds: await secondsOf(sql, project_id, ownFirst) },
    upstreams: needed.map(row => upstreamOf(row, { asks, others })),
    caps: placesOf(asked, others),
    pace,
  })
}

const placesOf = ({ concurrency, project_concurrency }: Asked, others: readonly store.OpenRun[]): Cap[] => [
  ...(Number.isFinite(concurrency) ? [{ places: concurrency, others: [] }] : []),
  { places: project_concurrency, others: others.map(({ queued }) => queued) },
]

/** Items a second that the latest half of those that began did so with. */
async function paceOf(sql: Sql, run: ReadRun): Promise<number | null> {
  const began = run.next_seq - 1
  const items = Math.min(Math.floor(began / 2), PACE_ITEMS.most)
  if (items < PACE_ITEMS.least || items < 2 * run.running || run.pilot_left !== null) return null
  const seconds = await store.readBegan(sql, { project_id: run.project_id, run_id: run.id }, began - items)
  return seconds === null || seconds < PACE_S ? null : items / seconds
}

/** What an item asks, by the latest that ended; null if none has. */
function asksOf(runs: readonly store.Ran[]): ItemAsks | null {
  const sum = { items: 0, calls: 0, input_tokens: 0, output_tokens: 0 }
  for (const run of runs) {
    // All of the first run, and of those before it as much as is missing.
    const part = sum.items === 0 ? 1 : Math.min(1, Math.max(0, KNOWN_ITEMS - sum.items) / run.items)
    for (const of of Object.keys(sum) as (keyof typeof sum)[]) sum[of] += part * run[of]
  }
  const { items, calls, input_tokens, output_tokens } = sum
  if (items === 0) return null
  return {
    calls: calls / items,
    tokens: (input_tokens + output_tokens) / items,
    input_tokens: input_tokens / items,
  }
}

/** Runs whose items are read for how long they take. */
const TIMED_RUNS = 4
const TIMED_ITEMS = 20

async function secondsOf(sql: Sql, project_id: string, runs: readonly store.EarlierRun[]): Promise<number> {
  const sum = { items: 0, seconds: 0 }
  for (const run of runs.slice(0, TIMED_RUNS)) {
    const { items, seconds } = await store.readTook(sql, project_id, run)
    sum.items += items
    sum.seconds += items * (seconds ?? 0)
    if (sum.items >= TIMED_ITEMS) break
  }
  return sum.items === 0 ? 0 : sum.seconds / sum.items
}

interface Around {
  asks: ItemAsks
  others: readonly store.OpenRun[]
}

function upstreamOf(row: Needed, { asks, others }: Around): NeededUpstream {
  const { kind, pacing, deployments, limits, state, next_ms, is_only } = row
  const lately = pacing === null ? null : askedLately(pacing.declared)
  /** An agent's address is called once an item, a provider as often as it answered: by models of the agent, or as was seen there. */
  const asked = (known: ItemAsks | null, isKnown: boolean): ItemAsks => {
    if (kind === 'agent') return { ...asks, ...known, calls: 1 }
    if (known !== null && known.calls > 0 && isKnown) return known
    if (lately === null) return { ...asks, calls: Math.max(1, asks.calls) }
    // An item of which no call is reported is paced as one call.
    return { ...lately, calls: lately.calls || 1, input_tokens: null }
  }
  const sharing = others.filter(({ deployment_id }) => deployments.includes(deployment_id ?? ''))
  return {
    name: upstreamName(row),
    pacing,
    declared: limits,
    asks: asked(asks, is_only),
    others: sharing.map(one => ({ items: one.queued, ...asked(asksOf(one.items > 0 ? [one] : []), true) })),
    opens_ms: state === 'cooling' ? Math.max(0, next_ms ?? 0) : 0,
  }
}
