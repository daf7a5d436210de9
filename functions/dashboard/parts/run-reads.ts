// What the pages of a run ask the API for.

import { isHeld } from '../../../shared/items/rules/lifecycle.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { isAboutAsLarge } from './pace.ts'

type Run = Schemas['Run']

const EARLIER_RUNS = 20 // that "usual" is the median of
const COMPARED_RUNS = 100 // looked at for those that a run may be compared with
const LATER_RUNS = 10
const ITEMS_LOOKED_FOR = 3
const REPLAYS_SHOWN = 10

export async function runOf(api: Client, runId: string): Promise<Run> {
  const { data } = await api.GET('/v2/runs/{runId}', { params: { path: { runId } } })
  return data!
}

/** Runs of the same agent that were submitted before and have ended, the latest first; replays aside. */
export const earlierRuns = (api: Client, run: Run): Promise<Run[]> =>
  runsBefore(api, run, 'ended', EARLIER_RUNS)

/** Those that it may be compared with: the ended ones, and those of which all that is left waits for a person. */
export async function comparableRuns(api: Client, run: Run): Promise<Run[]> {
  const [ended, open] = await Promise.all([
    runsBefore(api, run, 'ended', COMPARED_RUNS),
    runsBefore(api, run, 'open', COMPARED_RUNS),
  ])
  const both = [...ended, ...open.filter(isHeld)]
  return both.sort((a, b) => b.created_at.localeCompare(a.created_at))
}

/** The newest of its agent that were submitted after it and have ended, the latest first; replays aside. */
export async function laterRuns(api: Client, run: Run): Promise<Run[]> {
  const { project_id, agent_slug: agent, created_at: from } = run
  const query = { project_id, agent, from, state: 'ended', limit: LATER_RUNS + 1 } as const
  return othersOf(run, (await api.GET('/v2/runs', { params: { query } })).data).slice(0, LATER_RUNS)
}

const othersOf = (run: Run, found: readonly Run[] = []) =>
  found.filter(one => one.id !== run.id && one.replay_of === null)

async function runsBefore(api: Client, run: Run, state: 'ended' | 'open', most: number): Promise<Run[]> {
  const { project_id, agent_slug: agent, created_at: to } = run
  const query = { project_id, agent, to, state, limit: most + 1 }
  return othersOf(run, (await api.GET('/v2/runs', { params: { query } })).data).slice(0, most)
}

/**
 * What somebody wants to compare it with: the latest of its name, else the latest that has items of it, else the latest;
 * of each, one that is about as large rather than another.
 */
export async function naturalBefore(
  api: Client,
  run: Run,
  earlier: readonly Run[],
): Promise<Run | undefined> {
  const best = (of: readonly Run[]) => of.find(one => isAboutAsLarge(run, one)) ?? of[0]
  const named = best(earlier.filter(({ name }) => name !== null && name === run.name))
  if (named !== undefined || earlier.length === 0) return named
  const sharing = await runsWithItemsOf(api, run)
  return best(earlier.filter(one => sharing.has(one.id))) ?? best(earlier)
}

/** The runs before it that have one of its first items. */
async function runsWithItemsOf(api: Client, { id, project_id, created_at: to }: Run): Promise<Set<string>> {
  const { data: items = [] } = await api.GET('/v2/runs/{runId}/items', {
    params: { path: { runId: id }, query: { limit: ITEMS_LOOKED_FOR } },
  })
  const found = await Promise.all(
    items.map(({ item_id }) =>
      api.GET('/v2/runs', { params: { query: { project_id, item_id, to, limit: COMPARED_RUNS } } }),
    ),
  )
  return new Set(found.flatMap(({ data = [] }) => data.map(one => one.id)))
}

export async function replaysOf(api: Client, run: Run): Promise<Run[]> {
  const query = { project_id: run.project_id, replay_of: run.id, limit: REPLAYS_SHOWN }
  return (await api.GET('/v2/runs', { params: { query } })).data ?? []
}

/** How often reasons of the run's agent were judged. */
export async function judgedOf(api: Client, { project_id, agent_slug: agent }: Run) {
  const query = { project_id, agent, limit: LIMITS.verdicts_page.max }
  return (await api.GET('/v1/verdicts', { params: { query } })).data!.rows
}
