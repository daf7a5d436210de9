// Removes runs of projects and agents that were deleted, then what is left of those. A run goes last of all its
// rows: it is what they are found by.

import type { Sql } from '../context.ts'
import type { RunKey } from '../domain/ids.ts'

/** Runs of a project without an account, or of a deleted agent. */
const deletedRuns = (sql: Sql) => sql`(
  select r.project_id, r.id, r.finished_at, r.stop_reason from projects p join runs r on r.project_id = p.id
  where p.account_id is null
  union
  select r.project_id, r.id, r.finished_at, r.stop_reason from agents a join runs r on r.agent_id = a.id
  where a.deleted_at is not null)`

/** Nothing more of them is dispatched. */
export async function cancelDeletedRuns(sql: Sql, limit: number): Promise<void> {
  await sql`
    update runs set stop_reason = 'cancelled'
    where id in (
      select id from ${deletedRuns(sql)} d
      where finished_at is null and stop_reason is distinct from 'cancelled' limit ${limit})`
}

/** Runs to remove that no consumer holds items of. */
export async function findDeletedRuns(sql: Sql, limit: number) {
  return sql<RunKey[]>`
    select project_id, id as run_id from ${deletedRuns(sql)} d
    where not exists (select from claims c where c.project_id = d.project_id and c.run_id = d.id)
      and (finished_at is not null or stop_reason = 'cancelled')
    limit ${limit}`
}

/** Every table with a run's rows that do not go with the run by a foreign key, or are too many to go at once. */
export const RUN_TABLES = [
  'unindexed_steps',
  'steps',
  'step_index',
  'run_step_errors',
  'attempts',
  'due_items',
  'triage',
  'items',
] as const

/** Removes up to `limit` rows of each kind that belong to a run; returns how many went. */
export async function removeRunRows(
  sql: Sql,
  { project_id, run_id }: RunKey,
  limit: number,
): Promise<number> {
  let removed = 0
  for (const table of RUN_TABLES) {
    // Rows by their place: the tables have different keys, and in steps a place is one within its partition.
    const result = await sql`
      delete from ${sql(table)} where project_id = ${project_id} and run_id = ${run_id} and (tableoid, ctid) in (
        select tableoid, ctid from ${sql(table)} where project_id = ${project_id} and run_id = ${run_id} limit ${limit})`
    removed += result.count
  }
  return removed
}

/** Removes the run itself, unless a consumer or a submission has put something under it again. */
export async function removeRun(sql: Sql, { project_id, run_id }: RunKey): Promise<number> {
  return sql.begin(async tx => {
    await tx`select from runs where project_id = ${project_id} and id = ${run_id} for update`
    const result = await tx`
      delete from runs where project_id = ${project_id} and id = ${run_id}
        and not exists (select from items where project_id = ${project_id} and run_id = ${run_id})
        and not exists (select from claims where project_id = ${project_id} and run_id = ${run_id})`
    // What retention notes of a run is wanted until the run is gone: without it the removal is not gone on with.
    if (result.count > 0) await tx`delete from purges where project_id = ${project_id} and run_id = ${run_id}`
    return result.count
  })
}

/** Removes agents and projects that were deleted and have no run left, and code that no deployment names. */
export async function removeEmptied(sql: Sql, limit: number): Promise<number> {
  const agents = await sql`
    delete from agents where id in (
      select id from agents a where deleted_at is not null
        and not exists (select from runs r where r.agent_id = a.id) limit ${limit})`
  const projects = await sql`
    delete from projects where id in (
      select id from projects p where account_id is null
        and not exists (select from runs r where r.project_id = p.id) limit ${limit})`
  const removed = agents.count + projects.count
  if (removed > 0)
    await sql`delete from bundles b where not exists (select from deployments d where d.bundle_hash = b.hash)`
  return removed
}
