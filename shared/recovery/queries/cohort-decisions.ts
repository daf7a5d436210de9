// Finds the next items for a decision about a whole cohort. Guarantee: items are passed in the order of their runs and
// `seq`, so a passed item is never read again, however many there are; nothing is locked.

import type { Sql } from '../../context.ts'
import type { ItemKey } from '../../kernel/ids.ts'
import { inTriage, type OpenRecovery, standingFor } from './recoveries.ts'

export async function nextToDecide(sql: Sql, recovery: OpenRecovery, limit: number): Promise<ItemKey[]> {
  const { id, project_id, action, filter, reached_run_id, reached_seq } = recovery
  const { run_id, cause_id } = filter
  return sql<ItemKey[]>`
    select r.project_id, r.id as run_id, t.seq from runs r, lateral (
      select t.seq from triage t
      where t.project_id = r.project_id and t.run_id = r.id and ${inTriage(sql, project_id, filter, id)}
        and ${standingFor[action](sql, filter)} = 'eligible'
        ${reached_run_id === null ? sql`` : sql`and (t.run_id, t.seq) > (${reached_run_id}::uuid, ${reached_seq}::int)`}
      order by t.seq limit ${limit}
    ) t
    where r.project_id = ${project_id} ${run_id === undefined ? sql`` : sql`and r.id = ${run_id}`}
      ${cause_id === undefined ? sql`` : sql`and r.id in (select run_id from cause_runs where project_id = ${project_id} and cause_id = ${cause_id})`}
      ${reached_run_id === null ? sql`` : sql`and r.id >= ${reached_run_id}`}
    order by r.id, t.seq limit ${limit}`
}

/** Adds to the recovery's count of decided items, and stores the last item it has passed. */
export async function noteDecided(
  sql: Sql,
  { project_id, id }: OpenRecovery,
  decided: number,
  reached: ItemKey,
): Promise<void> {
  await sql`
    update recoveries set decided = decided + ${decided}, reached_run_id = ${reached.run_id},
      reached_seq = ${reached.seq}
    where project_id = ${project_id} and id = ${id}`
}
