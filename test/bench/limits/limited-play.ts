// Runs one scenario of limits through a whole Assay: what was used of the limit, and what that cost in refused calls.

import type { Counts } from '../../support/provider.ts'
import type { Bench } from '../stack.ts'
import { type AgentKind, type Deployed, deploy } from './agents.ts'
import type { Limited } from './limited.ts'
import { cancel, configure, type Ends, ended, environment, figuresOf, nameOfKey, read } from './play.ts'
import { fairness, leastSeconds, shareUsed } from './share.ts'
import { linesOf } from './texts.ts'

export interface LimitedFigures extends Omit<Ends, 'most_sends'> {
  /** Until the last item ended, which may have had a slow answer. */
  seconds: number
  /** From the first call to the last, and in which time the limit would have allowed as much. */
  last_call_s: number
  least_s: number
  calls: number
  /** By the limits. */
  refused: number
  share: number | null
  /** How evenly runs side by side got on; null if there is only one. */
  fair: number | null
  most_in_flight: number
  useless: number
  /** By which the median of recorded calls is longer than that of the double's answers. */
  added_ms: number | null
}

/** Runs side by side start one after the other, and so do their sandboxes. */
const FAIR_FROM_S = 5

interface Run {
  agent: Deployed
  run_id: string
}

export async function playLimited(bench: Bench, double: string, of: Limited): Promise<LimitedFigures> {
  const key = nameOfKey(of.name)
  await configure(double, key, of.provider)
  const agents = await deployAll(bench, of, environment(double, key))
  const started = performance.now()
  const until = started + of.most_s * 1000
  const runs = await submitAll(of, agents)
  const isOver = await Promise.all(runs.map(({ run_id }) => ended(bench, run_id, until)))
  const seconds = (performance.now() - started) / 1000
  const ends = await Promise.all(runs.map(({ run_id }) => figuresOf(bench, run_id)))
  const counts = await read(double, key)
  const until_s = isOver.every(Boolean) ? lastCall(of, counts) : secondsSince(counts)
  for (const [at, { agent, run_id }] of runs.entries()) if (!isOver[at]) await cancel(bench, agent, run_id)
  return {
    ...sumOf(ends),
    ...ofCounts(of, counts, until_s),
    seconds,
    fair: await fairnessOf(bench, runs, counts),
    added_ms: await addedMs(bench, runs, counts),
  }
}

/** One agent of each kind, all in one project. */
async function deployAll(
  bench: Bench,
  { runs }: Limited,
  env: Record<string, string>,
): Promise<Map<AgentKind, Deployed>> {
  const agents = new Map<AgentKind, Deployed>()
  for (const { agent: kind } of runs)
    if (!agents.has(kind)) agents.set(kind, await deploy(bench, kind, env, agents.values().next().value))
  return agents
}

async function submitAll({ runs, letters }: Limited, agents: Map<AgentKind, Deployed>): Promise<Run[]> {
  const submitted: Run[] = []
  for (const [at, { agent: kind, items }] of runs.entries()) {
    const agent = agents.get(kind)!
    const { client } = agent.project
    const lines = linesOf(at, items, letters)
    const { run_id } = await client.submitLines({ agent_id: agent.agent_id }, lines)
    submitted.push({ agent, run_id })
  }
  return submitted
}

function sumOf(ends: readonly Ends[]): Omit<Ends, 'most_sends'> {
  const sum = (count: (of: Ends) => number) => ends.reduce((all, of) => all + count(of), 0)
  return {
    ok: sum(of => of.ok),
    failed: sum(of => of.failed),
    cancelled: sum(of => of.cancelled),
    waiting: sum(of => of.waiting),
    open: sum(of => of.open),
    retries: sum(of => of.retries),
    notes: ends
      .map(of => of.notes)
      .filter(Boolean)
      .join('; '),
  }
}

/** Until then there were items that could have used the limit. */
const lastCall = ({ callsAgain }: Limited, { last_item_s, last_call_s }: Counts) =>
  callsAgain ? last_item_s : last_call_s
/** Of a run that did not end there are items until the end. */
const secondsSince = ({ first_call_at }: Counts) => (Date.now() - (first_call_at ?? Date.now())) / 1000

function ofCounts(of: Limited, counts: Counts, until_s: number) {
  const { calls, useless, most_in_flight, last_call_s, limits, failures } = counts
  const refused = (failures.rate ?? 0) + (failures.too_large ?? 0)
  const share = shareUsed(limits, of, until_s)
  return { calls, refused, useless, most_in_flight, share, last_call_s, least_s: leastSeconds(limits) }
}

async function fairnessOf({ sql }: Bench, runs: readonly Run[], { first_call_at }: Counts) {
  const ends = runs.map(async ({ run_id }) => {
    const items = await sql`
      select (extract(epoch from completed_at) * 1000)::float8 as at from items
      where run_id = ${run_id} and completed_at is not null`
    return items.map(({ at }) => at as number)
  })
  return fairness(await Promise.all(ends), (first_call_at ?? 0) + FAIR_FROM_S * 1000)
}

async function addedMs({ sql }: Bench, runs: readonly Run[], { median_ms }: Counts): Promise<number | null> {
  const ids = runs.map(({ run_id }) => run_id)
  const [steps] = await sql`
    select percentile_cont(0.5) within group (order by duration_ms) as median from steps
    where run_id = any(${ids}::uuid[]) and kind = 'llm_call' and outcome = 'ok'`
  const median = steps!.median as number | null
  return median === null || median_ms === null ? null : median - median_ms
}
