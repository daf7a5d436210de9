// What the pages of a run ask the API for.

import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { isAboutAsLarge } from '../parts/pace.ts'

type Run = Schemas['Run']

const EARLIER_RUNS = 100 // looked at for those that a run may be compared with
const REPLAYS_SHOWN = 10

export async function runOf(api: Client, runId: string): Promise<Run> {
  const { data } = await api.GET('/v2/runs/{runId}', { params: { path: { runId } } })
  return data!
}

/** Runs of the same agent that were submitted before and have ended, the latest first; replays aside. */
export async function earlierRuns(api: Client, run: Run): Promise<Run[]> {
  const { project_id, agent_slug: agent, created_at: to } = run
  const query = { project_id, agent, to, state: 'ended' as const, limit: EARLIER_RUNS + 1 }
  const { data = [] } = await api.GET('/v2/runs', { params: { query } })
  return data.filter(one => one.id !== run.id && one.replay_of === null).slice(0, EARLIER_RUNS)
}

/** What somebody wants to compare it with: the latest of its name that is about as large, else the latest like it in one of these. */
export function naturalBefore(run: Run, earlier: readonly Run[]): Run | undefined {
  const named = earlier.filter(({ name }) => name === run.name)
  const isAlike = (one: Run) => isAboutAsLarge(run, one)
  return named.find(isAlike) ?? earlier.find(isAlike) ?? named[0] ?? earlier[0]
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
