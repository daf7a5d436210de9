// The API reads of a run's pages.

import { isPaused } from '../../../shared/items/rules/lifecycle.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { isAboutAsLarge } from './pace.ts'

type Run = Schemas['Run']

const EARLIER_RUNS = 20 // "usual" is the median of these
const COMPARED_RUNS = 100 // read to find runs to compare with
const ITEMS_LOOKED_FOR = 3
const REPLAYS_SHOWN = 10

export async function runOf(api: Client, runId: string): Promise<Run> {
  const { data } = await api.GET('/v2/runs/{runId}', { params: { path: { runId } } })
  return data!
}

/** Ended runs of the same agent submitted before this one, the latest first; without replays. */
export const earlierRuns = (api: Client, run: Run): Promise<Run[]> =>
  othersOf(api, run, { to: run.created_at }, 'ended', EARLIER_RUNS)

/** Earlier runs to compare with: those that ended, and those whose open items are all paused; the latest first. */
export const comparableRuns = (api: Client, run: Run) => comparable(api, run, { to: run.created_at })

/** Later runs to compare with, as far as the newest hundred (COMPARED_RUNS) reach back. */
export const laterRuns = (api: Client, run: Run) => comparable(api, run, { from: run.created_at })

type Side = { to: string } | { from: string }

async function comparable(api: Client, run: Run, side: Side): Promise<Run[]> {
  const [ended, open] = await Promise.all([
    othersOf(api, run, side, 'ended', COMPARED_RUNS),
    othersOf(api, run, side, 'open', COMPARED_RUNS),
  ])
  const both = [...ended, ...open.filter(isPaused)]
  return both.sort((a, b) => b.created_at.localeCompare(a.created_at))
}

async function othersOf(api: Client, run: Run, side: Side, state: 'ended' | 'open', most: number) {
  const { project_id, agent_slug: agent } = run
  const query = { project_id, agent, ...side, state, limit: most + 1 }
  const { data = [] } = await api.GET('/v2/runs', { params: { query } })
  return data.filter(one => one.id !== run.id && one.replay_of === null).slice(0, most)
}

/**
 * The most useful earlier run to compare with: the latest of the same name, else the latest that shares items, else the
 * latest. Within each choice, a run of about the same size is preferred.
 */
export async function naturalBefore(
  api: Client,
  run: Run,
  earlier: readonly Run[],
): Promise<Run | undefined> {
  const named = bestOf(
    run,
    earlier.filter(({ name }) => name !== null && name === run.name),
  )
  if (named !== undefined || earlier.length === 0) return named
  const sharing = await runsWithItemsOf(api, run)
  return (
    bestOf(
      run,
      earlier.filter(one => sharing.has(one.id)),
    ) ?? bestOf(run, earlier)
  )
}

/**
 * For a run with no earlier one: the first later run of the same name, else the first later run. A run of about the
 * same size is preferred.
 */
export function naturalAfter(run: Run, later: readonly Run[]): Run | undefined {
  const next = later.toReversed()
  const named = next.filter(({ name }) => name !== null && name === run.name)
  return [named, next].map(of => bestOf(run, of)).find(one => one !== undefined)
}

const bestOf = (run: Run, of: readonly Run[]) => of.find(one => isAboutAsLarge(run, one)) ?? of[0]

/** Ids of earlier runs that have one of this run's first ITEMS_LOOKED_FOR items. */
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

/** How people judged the verdicts of the run's agent, by reason. */
export async function judgedOf(api: Client, { project_id, agent_slug: agent }: Run) {
  const query = { project_id, agent, limit: LIMITS.verdicts_page.max }
  return (await api.GET('/v1/verdicts', { params: { query } })).data!.rows
}
