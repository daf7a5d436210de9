// Removes runs of projects and agents that were deleted, then what is left of those. A run goes last of all its
// rows: it is what they are found by.

import { isDistributed } from '../../cluster/queries/distributed.ts'
import type { Sql } from '../../context.ts'

/** Runs of one project that go together. */
export interface Runs {
  project_id: string
  run_ids: readonly string[]
}

/** Runs of a project without an account, or of a deleted agent; one of both twice, since to find that takes all of them. */
const deletedRuns = (sql: Sql) => sql`(
  select r.project_id, r.id, r.finished_at, r.stop_reason, r.total_items
  from projects p join runs r on r.project_id = p.id where p.account_id is null
  union all
  select r.project_id, r.id, r.finished_at, r.stop_reason, r.total_items
  from agents a join runs r on r.agent_id = a.id where a.deleted_at is not null)`

/** Nothing more of them is dispatched. */
export async function cancelDeletedRuns(sql: Sql, limit: number): Promise<void> {
  await sql`
    update runs set stop_reason = 'cancelled'
    where id in (
      select id from ${deletedRuns(sql)} d
      where finished_at is null and stop_reason is distinct from 'cancelled' limit ${limit})`
}

/** Runs of one project to remove that no consumer holds items of: as many as have so many items together, or a longer one. */
export async function findDeletedRuns(sql: Sql, limit: number, items: number): Promise<Runs | undefined> {
  const [row] = await sql<Runs[]>`
    with found as materialized (
      select project_id, id, total_items from ${deletedRuns(sql)} d
      where not exists (select 1 from claims c where c.project_id = d.project_id and c.run_id = d.id)
        and (finished_at is not null or stop_reason = 'cancelled')
      limit ${limit}
    )
    select project_id, array_agg(distinct id::text) as run_ids from (
      -- By rows: a run that is deleted twice over, with its agent and its project, would count itself twice.
      select *, sum(total_items) over (order by total_items, id rows unbounded preceding) as together from found
      where project_id = (select project_id from found limit 1)
    ) counted where together <= ${items} or together = total_items group by 1`
  return row
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

/** Removes up to `limit` rows of each kind that belong to the runs; returns how many went. */
export async function removeRunRows(sql: Sql, runs: Runs, limit: number): Promise<number> {
  const { project_id, run_ids } = runs
  const isTheirs = sql`project_id = ${project_id} and run_id = any(${[...run_ids]}::uuid[])`
  let removed = 0
  for (const table of RUN_TABLES) {
    // Rows by their place: the tables have different keys, and in steps a place is one within its partition.
    const result = await sql`
      delete from ${sql(table)} where ${isTheirs} and (tableoid, ctid) in (
        select tableoid, ctid from ${sql(table)} where ${isTheirs} limit ${limit})`
    removed += result.count
  }
  return removed
}

/** Removes the runs themselves, but for those that a consumer or a submission has put something under again. */
export async function removeRuns(sql: Sql, { project_id, run_ids }: Runs): Promise<number> {
  const ids = [...run_ids]
  return sql.begin(async tx => {
    await tx`select from runs where project_id = ${project_id} and id = any(${ids}::uuid[]) order by id for update`
    const gone = await tx<{ id: string }[]>`
      delete from runs r where project_id = ${project_id} and id = any(${ids}::uuid[])
        and not exists (select 1 from items i where i.project_id = r.project_id and i.run_id = r.id)
        and not exists (select 1 from claims c where c.project_id = r.project_id and c.run_id = r.id)
      returning id`
    // What retention notes of a run is wanted until the run is gone: without it the removal is not gone on with.
    if (gone.length > 0)
      await tx`
        delete from purges
        where project_id = ${project_id} and run_id = any(${gone.map(({ id }) => id)}::uuid[])`
    return gone.length
  })
}

/** Removes agents and projects that were deleted and have no run left, and code that no deployment names. */
export async function removeEmptied(sql: Sql, limit: number): Promise<number> {
  if (await isDistributed(sql)) return removeEmptiedOfCluster(sql, limit)
  const agents = await sql`
    delete from agents where id in (
      select id from agents a where deleted_at is not null
        and not exists (select 1 from runs r where r.agent_id = a.id) limit ${limit})`
  const projects = await sql`
    delete from projects where id in (
      select id from projects p where account_id is null
        and not exists (select 1 from runs r where r.project_id = p.id) limit ${limit})`
  const removed = agents.count + projects.count
  if (removed > 0)
    await sql`delete from bundles b where not exists (select 1 from deployments d where d.bundle_hash = b.hash)`
  return removed
}

/** The same where agents and projects lie on all nodes and runs do not: each is asked for by itself. */
async function removeEmptiedOfCluster(sql: Sql, limit: number): Promise<number> {
  const gone = await sql<{ kind: 'agents' | 'projects'; id: string; project_id: string }[]>`
    select 'agents' as kind, id, project_id from agents where deleted_at is not null
    union all select 'projects', id, id from projects where account_id is null`
  let removed = 0
  for (const { kind, id, project_id } of gone) {
    if (removed === limit) break
    const ofAgent = kind === 'agents' ? sql`and agent_id = ${id}` : sql``
    if ((await sql`select from runs where project_id = ${project_id} ${ofAgent} limit 1`).length > 0) continue
    removed += (await sql`delete from ${sql(kind)} where id = ${id}`).count
  }
  if (removed > 0)
    await sql`delete from bundles b where not exists (select 1 from deployments d where d.bundle_hash = b.hash)`
  return removed
}
