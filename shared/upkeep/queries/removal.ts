// Removes the runs of deleted projects and agents, then these themselves. A run is removed after all its rows, because
// they are found by it.

import { type Asked, asked, projectsToAsk } from '../../cluster/queries/distributed.ts'
import { askReachable, isDistributed, lostNodes, type Reachable } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { lockedIds } from '../../kernel/locked-ids.ts'

/** Runs of one project that are removed together. */
export interface Runs {
  project_id: string
  run_ids: readonly string[]
}

/** Runs of projects without an account, or of deleted agents. A run of both is there twice: finding it takes all. */
const deletedRuns = (sql: Sql, of: Reachable) => sql`(
  select r.project_id, r.id, r.finished_at, r.stop_reason, r.total_items
  from projects p join runs r on r.project_id = p.id where p.account_id is null ${of('r')}
  union all
  select r.project_id, r.id, r.finished_at, r.stop_reason, r.total_items
  from agents a join runs r on r.project_id = a.project_id and r.agent_id = a.id where a.deleted_at is not null ${of('r')} ${of('a')})`

const STILL_RUNS = "finished_at is null and stop_reason is distinct from 'cancelled'"

/** Cancels the runs of deleted projects and agents, so that no more of their items are dispatched. */
export async function cancelDeletedRuns(sql: Sql, limit: number): Promise<void> {
  const look = (of: Reachable) =>
    sql`select distinct project_id from ${deletedRuns(sql, of)} d where ${sql.unsafe(STILL_RUNS)}`
  for (const project of await projectsToAsk(sql, look))
    await sql`
      update runs set stop_reason = 'cancelled'
      where id = any(${lockedIds(
        sql,
        'runs',
        sql`id in (
          select id from ${deletedRuns(sql, alias => asked(sql, alias, project))} d
          where ${sql.unsafe(STILL_RUNS)} limit ${limit}) ${asked(sql, 'runs', project)}`,
      )}) ${asked(sql, 'runs', project)}`
}

/** Runs of one project to remove, without claims: as many as have up to `items` items together, or one longer run. */
export async function findDeletedRuns(sql: Sql, limit: number, items: number): Promise<Runs | undefined> {
  const look = (of: Reachable) => sql`select distinct project_id from ${deletedRuns(sql, of)} d`
  for (const project of await projectsToAsk(sql, look)) {
    const runs = await findDeletedRunsOf(sql, limit, items, project)
    if (runs) return runs
  }
}

async function findDeletedRunsOf(sql: Sql, limit: number, items: number, project: Asked) {
  const [row] = await sql<Runs[]>`
    with found as materialized (
      select project_id, id, total_items from ${deletedRuns(sql, alias => asked(sql, alias, project))} d
      where not exists (
          select 1 from claims c where c.project_id = d.project_id and c.run_id = d.id ${asked(sql, 'c', project)})
        and (finished_at is not null or stop_reason = 'cancelled')
      limit ${limit}
    )
    select project_id, array_agg(distinct id::text) as run_ids from (
      -- By rows, because a run that is deleted both with its agent and with its project appears twice.
      select *, sum(total_items) over (order by total_items, id rows unbounded preceding) as together from found
      where project_id = (select project_id from found limit 1)
    ) counted where together <= ${items} or together = total_items group by 1`
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

/** Removes deleted agents and projects without runs, and bundles that no deployment uses; bundles are not counted. */
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

/** The same on a cluster, project by project. Every node has the projects, so those stay while one of them is lost. */
async function removeEmptiedOfCluster(sql: Sql, limit: number): Promise<number> {
  const agents = await askReachable(
    sql,
    of => sql<{ id: string; project_id: string }[]>`
    select id, project_id from agents where deleted_at is not null ${of('agents')}`,
  )
  const isWhole = lostNodes().length === 0
  const projects = isWhole
    ? await sql<{ id: string }[]>`select id from projects where account_id is null`
    : []
  let removed = 0
  for (const { id, project_id } of agents) {
    if (removed === limit) break
    const isOf = sql`project_id = ${project_id} and agent_id = ${id}`
    if ((await sql`select from runs where ${isOf} limit 1`).length > 0) continue
    removed += (await sql`delete from agents where project_id = ${project_id} and id = ${id}`).count
  }
  for (const { id } of projects) {
    if (removed === limit) break
    if ((await sql`select from runs where project_id = ${id} limit 1`).length > 0) continue
    removed += (await sql`delete from projects where id = ${id}`).count
  }
  if (removed > 0 && isWhole) await removeUnusedBundles(sql, LIMITS.bundles_chunk)
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
