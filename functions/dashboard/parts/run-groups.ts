// Runs that come again, told as one line: the newest of an agent under a name, and the one before it. Guarantee: a run stands
// in one group; what somebody asked for once more, a replay of a run, is its own.

import type { Schemas } from '../../../shared/sdk/client.ts'

type Run = Schemas['Run']

export interface RunGroup {
  newest: Run
  /** Undefined where there was none among the runs that were looked at. */
  before: Run | undefined
  earlier: number
}

export const notOk = (run: Run): number => run.degraded_count + run.failed

/** Of runs in their order, the newest first: groups with most that is not ok first, then as they come. */
export function groupsOf(runs: readonly Run[]): RunGroup[] {
  const groups = Map.groupBy(runs, run =>
    run.name === null || run.replay_of !== null ? run.id : `${run.agent_id} ${run.name}`,
  )
  return [...groups.values()]
    .map(([newest, ...earlier]) => ({ newest: newest!, before: earlier[0], earlier: earlier.length }))
    .sort((a, b) => notOk(b.newest) - notOk(a.newest))
}
