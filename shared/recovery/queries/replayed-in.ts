// Finds the runs that replay items of a cohort already. Guarantee: only reads, and of a bounded number of items.

import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { RecoveryFilter } from '../tables/recovery.ts'
import { cancelled, inTriage } from './recoveries.ts'

/** Newest first; of the items that pass the filter, some of those that were replayed are looked at. */
export async function findReplayRuns(sql: Sql, projectId: string, filter: RecoveryFilter): Promise<string[]> {
  const left = sql`select i.run_id, i.seq from items i, runs r where i.project_id = ${projectId} and ${cancelled(sql, projectId, filter)}`
  const decided = sql`select t.run_id, t.seq from triage t
    where t.project_id = ${projectId} and t.disposition = 'replayed' and ${inTriage(sql, projectId, filter)}`
  const originals =
    filter.status === undefined
      ? decided
      : filter.status === 'cancelled'
        ? left
        : sql`select * from (${decided} union all ${left}) as both_kinds`
  const rows = await sql<{ run_id: string }[]>`
    select distinct p.run_id from (${originals} limit ${LIMITS.recovery_plan_items}) o, lateral (
      select run_id from replays where project_id = ${projectId} and from_run_id = o.run_id and from_seq = o.seq offset 0) p
    order by 1 desc limit ${LIMITS.replay_runs_named}`
  return rows.map(({ run_id }) => run_id)
}
