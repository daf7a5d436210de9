// The API reads of a run's pages.

import { isPaused } from '../../../shared/items/rules/lifecycle.ts'
import { itemRecordId } from '../../../shared/kernel/ids.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { isAboutAsLarge } from './pace.ts'

type Run = Schemas['Run']

const EARLIER_RUNS = 20 // "usual" is the median of these
const COMPARED_RUNS = 100 // read to find runs to compare with
const ITEMS_LOOKED_FOR = 3
export const REPLAYS_COUNTED = 100

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
 * The most useful of these runs to compare with. They are given nearest in time first. The best has the same items, and
 * about as many: next to a much smaller run most items would have no partner. The second best is of about this size and
 * has its name or start, as a nightly run has whose items are new each night. The third best has one of these at least.
 */
export async function naturalOf(api: Client, run: Run, others: readonly Run[], side: Side) {
  if (others.length === 0) return undefined
  const sharing = await runsWithItemsOf(api, run, side)
  const isShared = ({ id }: Run) => sharing.has(id)
  const isNamed = (one: Run) => one.name !== null && one.name === run.name
  const isLike = (one: Run) => isAboutAsLarge(run, one)
  const wishes: ((one: Run) => boolean)[] = [
    one => isLike(one) && isShared(one) && isNamed(one),
    one => isLike(one) && isShared(one),
    one => isLike(one) && isNamed(one),
    isShared,
    isNamed,
    isLike,
    () => true,
  ]
  return wishes.map(wish => others.find(wish)).find(one => one !== undefined)
}

/** Ids of runs that have most of a few items of this run: its first, one in the middle, and its last. */
async function runsWithItemsOf(api: Client, run: Run, side: Side): Promise<Set<string>> {
  const { id: runId, project_id, total_items } = run
  const places = Array.from({ length: ITEMS_LOOKED_FOR }, (_, at) =>
    Math.round((at * (total_items - 1)) / (ITEMS_LOOKED_FOR - 1)),
  )
  const looked = await Promise.all(
    [...new Set(places)].map(async seq => {
      const query = {
        limit: 1,
        payloads: 'none',
        ...(seq > 0 && { after: itemRecordId(runId, seq) }),
      } as const
      return (await api.GET('/v2/runs/{runId}/items', { params: { path: { runId }, query } })).data ?? []
    }),
  )
  const items = new Set(looked.flat().map(({ item_id }) => item_id))
  const found = await Promise.all(
    [...items].map(item_id =>
      api.GET('/v2/runs', { params: { query: { project_id, item_id, ...side, limit: COMPARED_RUNS } } }),
    ),
  )
  const times = Map.groupBy(
    found.flatMap(({ data = [] }) => data.map(({ id }) => id)),
    id => id,
  )
  return new Set([...times].flatMap(([id, all]) => (2 * all.length > items.size ? [id] : [])))
}

/** Its newest replays, as many as are counted. */
export async function replaysOf(api: Client, run: Run): Promise<Run[]> {
  const query = { project_id: run.project_id, replay_of: run.id, limit: REPLAYS_COUNTED }
  return (await api.GET('/v2/runs', { params: { query } })).data ?? []
}

/** How people judged the verdicts of the run's agent, by reason. */
export async function judgedOf(api: Client, { project_id, agent_slug: agent }: Run) {
  const query = { project_id, agent, limit: LIMITS.verdicts_page.max }
  return (await api.GET('/v1/verdicts', { params: { query } })).data!.rows
}

/** When the newest of a run's held items was held; undefined where none waits. */
export async function lastHeldAt(api: Client, { id: run_id, project_id }: Run): Promise<string | undefined> {
  const query = { project_id, run_id, kind: 'quarantine' as const, limit: 1 }
  return (await api.GET('/v1/triage', { params: { query } })).data?.rows[0]?.created_at
}
