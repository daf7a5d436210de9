// Removes the runs of deleted projects and agents, then these themselves. A run is removed after all its rows, because
// they are found by it.

import type { Sql } from '../../context.ts'
import { findProjects } from '../../kernel/each-project.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { lockedIds } from '../../kernel/locked-ids.ts'

/** Runs of one project that are removed together. */
export interface Runs {
  project_id: string
  run_ids: readonly string[]
}

/** Projects that are deleted or have deleted agents. */
const withDeleted = (sql: Sql) => sql`
  select project_id from (
    select id as project_id from projects where account_id is null
    union select project_id from agents where deleted_at is not null) d
  order by random()`

/** Runs of the project if it has no account, or else of its deleted agents. */
const deletedRuns = (sql: Sql, project_id: string) => sql`(
  select r.id, r.finished_at, r.stop_reason, r.total_items
  from runs r join projects p on p.id = ${project_id} join agents a on a.project_id = ${project_id} and a.id = r.agent_id
  where r.project_id = ${project_id} and (p.account_id is null or a.deleted_at is not null))`

const STILL_RUNS = "finished_at is null and stop_reason is distinct from 'cancelled'"

/** Cancels the runs of deleted projects and agents, so that no more of their items are dispatched. */
export async function cancelDeletedRuns(sql: Sql, limit: number): Promise<void> {
  for (const project_id of await findProjects(sql, withDeleted(sql)))
    await sql`
      update runs set stop_reason = 'cancelled'
      where project_id = ${project_id} and id = any(${lockedIds(
        sql,
        'runs',
        sql`project_id = ${project_id} and id in (
          select id from ${deletedRuns(sql, project_id)} d where ${sql.unsafe(STILL_RUNS)} limit ${limit})`,
      )})`
}

/** Runs of one project to remove, without claims: as many as have up to `items` items together, or one longer run. */
export async function findDeletedRuns(sql: Sql, limit: number, items: number): Promise<Runs | undefined> {
  for (const project_id of await findProjects(sql, withDeleted(sql))) {
    const runs = await findDeletedRunsOf(sql, limit, items, project_id)
    if (runs) return runs
  }
}

async function findDeletedRunsOf(sql: Sql, limit: number, items: number, project_id: string) {
  const [row] = await sql<Runs[]>`
    with found as materialized (
      select id, total_items from ${deletedRuns(sql, project_id)} d
      where not exists (select 1 from claims c where c.project_id = ${project_id} and c.run_id = d.id)
        and (finished_at is not null or stop_reason = 'cancelled')
      limit ${limit}
    )
    select ${project_id}::uuid as project_id, array_agg(id::text) as run_ids from (
      select *, sum(total_items) over (order by total_items, id) as together from found
    ) counted where together <= ${items} or together = total_items having count(*) > 0`
  return row
}

/** Every table whose rows do not go with the run by a foreign key, or are too many to go at once. */
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

/** Removes up to `limit` rows of the runs from each table; returns how many in all. */
export async function removeRunRows(sql: Sql, runs: Runs, limit: number): Promise<number> {
  const { project_id, run_ids } = runs
  const isTheirs = sql`project_id = ${project_id} and run_id = any(${[...run_ids]}::uuid[])`
  let removed = 0
  for (const table of RUN_TABLES) {
    // Rows are found by ctid: the tables have different keys, and in steps a ctid is unique only within its partition.
    const result = await sql`
      delete from ${sql(table)} where ${isTheirs} and (tableoid, ctid) in (
        select tableoid, ctid from ${sql(table)} where ${isTheirs} limit ${limit})`
    removed += result.count
  }
  return removed
}

/** Removes the runs themselves, except those for which a consumer or a submission has added rows meanwhile. */
export async function removeRuns(sql: Sql, { project_id, run_ids }: Runs): Promise<number> {
  const ids = [...run_ids]
  return sql.begin(async tx => {
    await tx`select from runs where project_id = ${project_id} and id = any(${ids}::uuid[]) order by id for update`
    const gone = await tx<{ id: string }[]>`
      delete from runs r where project_id = ${project_id} and id = any(${ids}::uuid[])
        and not exists (select 1 from items i where i.project_id = r.project_id and i.run_id = r.id)
        and not exists (select 1 from claims c where c.project_id = r.project_id and c.run_id = r.id)
      returning id`
    // A run's rows in `purges` are needed until the run is gone: without them its removal would not be continued.
    if (gone.length > 0)
      await tx`
        delete from purges
        where project_id = ${project_id} and run_id = any(${gone.map(({ id }) => id)}::uuid[])`
    return gone.length
  })
}

/** Removes deleted agents and projects without runs, and code that no deployment uses; code is not counted. */
export async function removeEmptied(sql: Sql, limit: number): Promise<number> {
  const agents = await sql<{ id: string; project_id: string }[]>`
    select id, project_id from agents a where deleted_at is not null
      and not exists (select 1 from runs r where r.project_id = a.project_id and r.agent_id = a.id) limit ${limit}`
  let removed = 0
  for (const { id, project_id } of agents)
    removed += (
      await sql`
      delete from agents where project_id = ${project_id} and id = ${id}
        and not exists (select 1 from runs where project_id = ${project_id} and agent_id = ${id})`
    ).count
  const projects = await sql<{ id: string }[]>`select id from projects where account_id is null`
  for (const { id } of projects) {
    if (removed >= limit) break
    if ((await sql`select from runs where project_id = ${id} limit 1`).length > 0) continue
    removed += (await sql`delete from projects where id = ${id}`).count
  }
  if (removed > 0) await removeUnusedBundles(sql, LIMITS.bundles_chunk)
  return removed
}

/**
 * On a cluster no foreign key keeps a bundle that is used: it lies on the coordinator, and its deployments do not. One
 * that was stored just now, or again, may be of a deployment that is not committed yet. `chunk` bundles are looked at a
 * time, in the order of their hashes.
 */
export async function removeUnusedBundles(sql: Sql, chunk: number): Promise<void> {
  const isOld = sql`created_at < now() - make_interval(mins => ${LIMITS.bundle_spared_minutes})`
  let after = ''
  for (;;) {
    const rows = await sql<{ hash: string }[]>`
      select hash from bundles where ${isOld} and hash > ${after} order by hash limit ${chunk}`
    const hashes = rows.map(({ hash }) => hash)
    if (hashes.length === 0) return
    const used = await sql<{ hash: string }[]>`
      select distinct bundle_hash as hash from deployments where bundle_hash = any(${hashes}::text[])`
    const isUsed = new Set(used.map(({ hash }) => hash))
    await sql`delete from bundles where ${isOld} and hash = any(${hashes.filter(hash => !isUsed.has(hash))}::text[])`
    after = hashes.at(-1)!
  }
}
