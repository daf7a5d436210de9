// Groups recurring runs: the newest run of an agent and name, with the one before it. Guarantee: each run is in exactly
// one group; a replay of a run is a group of its own.

import type { Schemas } from '../../../shared/sdk/client.ts'

type Run = Schemas['Run']

export interface RunGroup {
  newest: Run
  /** The run before it; undefined where there is none among the given runs. */
  before: Run | undefined
  earlier: number
}

export const notOk = (run: Run): number => run.degraded_count + run.failed

/**
 * Groups runs given newest first. Groups whose newest run has the most items not ok come first, else in given order.
 */
export function groupsOf(runs: readonly Run[]): RunGroup[] {
  const groups = Map.groupBy(runs, run =>
    run.name === null || run.replay_of !== null ? run.id : `${run.agent_id} ${run.name}`,
  )
  return [...groups.values()]
    .map(([newest, ...earlier]) => ({ newest: newest!, before: earlier[0], earlier: earlier.length }))
    .sort((a, b) => notOk(b.newest) - notOk(a.newest))
}
