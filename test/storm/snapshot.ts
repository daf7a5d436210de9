// Reads what a round left in the database, once it has drained.

import type { Sql } from '../../shared/context.ts'

export interface ItemRow {
  run_id: string
  /** Read from the item's input. */
  name: string
  status: string
  outcome: string | null
  input: string
  output: string | null
  cost_micro: number
  /** Failures that are its agent's own, which use up declared retries. */
  agent_failures: number
}

export interface RunSeen {
  id: string
  name: string | null
  agent_id: string
  status: string
  total_items: number
  /** Made by a replay or a recovery, not by a submission or a fire. */
  is_replay: boolean
  items: ItemRow[]
}

/**
 * All runs that were created since then and have ended: a run still at work after the drain was started by the schedule
 * meanwhile. A submission that broke off while it arrived is left out: nobody sees it, and it is removed.
 */
export async function runsSince(sql: Sql, since: Date): Promise<RunSeen[]> {
  const runs = await sql<Omit<RunSeen, 'items'>[]>`
    select id, name, agent_id, status, total_items, replay_of is not null or recovery_id is not null as is_replay
    from runs where created_at >= ${since} and finished_at is not null`
  const items = await sql<ItemRow[]>`
    select i.run_id, substring(i.input from '"name" ?: ?"([^"]+)"') as name, i.status, i.outcome, i.input, i.output,
      i.cost_micro, i.agent_failures
    from runs r join items i on i.project_id = r.project_id and i.run_id = r.id
    where r.created_at >= ${since} and r.finished_at is not null`
  const ofRun = Map.groupBy(items, item => item.run_id)
  return runs.map(run => ({ ...run, items: ofRun.get(run.id) ?? [] }))
}
