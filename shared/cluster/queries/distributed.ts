// Queries of several projects. Guarantee: on one machine a statement over all projects stays one statement; on a cluster
// one statement runs for each project, and none takes locks of two projects.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'
import { askReachable, canBeAsked, isDistributed, type Reachable } from './nodes.ts'

/** The project to query; null means all projects, on one machine. */
export type Asked = string | null

/** The projects to query: on a cluster each `project_id` that `look` finds on reachable nodes; else [null]. */
export async function projectsToAsk(sql: Sql, look: (of: Reachable) => Fragment): Promise<Asked[]> {
  if (!(await isDistributed(sql))) return [null]
  const rows = await askReachable(sql, of => sql<{ project_id: string }[]>`${look(of)}`)
  return rows.map(row => row.project_id)
}

/** At most `limit` rows of the projects that `look` finds; on one machine, of all projects at once. */
export async function askEach<T>(
  sql: Sql,
  look: (of: Reachable) => Fragment,
  limit: number,
  ask: (project: Asked, limit: number) => Promise<readonly T[]>,
): Promise<T[]> {
  const rows: T[] = []
  for (const project of await projectsToAsk(sql, look)) {
    if (rows.length >= limit) break
    rows.push(...(await ask(project, limit - rows.length)))
  }
  return rows
}

/** Groups rows by the query that reads them: one group on one machine, one for each reachable project on a cluster. */
export async function byProject<T extends { project_id: string }>(
  sql: Sql,
  rows: readonly T[],
): Promise<[project: Asked, own: T[]][]> {
  if (rows.length === 0) return []
  if (!(await isDistributed(sql))) return [[null, [...rows]]]
  return [...Map.groupBy(rows, row => row.project_id)].filter(([project]) => canBeAsked(project))
}

/** The project, for rows found by their id alone on one machine: with it, a cluster queries only the project's node. */
export const nodeOf = async (sql: Sql, project: string): Promise<Asked> =>
  (await isDistributed(sql)) ? project : null

/** Part of a statement on the run `r`; a cluster needs the project named in every part. */
export function inProject(sql: Sql, part: string, node: Asked): Fragment {
  const [first, ...others] = node === null ? [part] : part.split(/\br\.project_id\b/)
  return others.reduce(
    (before, after) => sql`${before}${node}::uuid${sql.unsafe(after)}`,
    sql`${sql.unsafe(first!)}`,
  )
}

/** An additional condition that names the queried project. */
export const asked = (sql: Sql, alias: string, project: Asked): Fragment =>
  project === null ? sql`` : sql`and ${sql.unsafe(alias)}.project_id = ${project}`

/** The project of rows to insert: their own column, or the queried project, by which a cluster finds their node. */
export const projectOf = (sql: Sql, column: string, project: Asked): Fragment =>
  project === null ? sql`${sql.unsafe(column)}` : sql`${project}::uuid`

/** Projects that the caller may see, as `p(id)`: a single one by its id, from which a cluster knows the node. */
export const asProjects = (sql: Sql, ids: readonly string[]): Fragment =>
  ids.length === 1 ? sql`(select ${ids[0]!}::uuid as id) p` : sql`unnest(${[...ids]}::uuid[]) as p(id)`

/** An additional condition that names the project if there is only one. */
export const ofOne = (sql: Sql, alias: string, ids: readonly string[]): Fragment =>
  asked(sql, alias, ids.length === 1 ? ids[0]! : null)

/** Rows of several projects in one order: on a cluster each project is queried alone, and the rows are sorted here. */
export async function askProjects<T>(
  sql: Sql,
  ids: readonly string[],
  ask: (ids: readonly string[]) => Promise<readonly T[]>,
  { limit, compare }: { limit: number; compare: (a: T, b: T) => number },
): Promise<T[]> {
  if (ids.length === 1 || !(await isDistributed(sql))) return [...(await ask(ids))]
  const rows: T[] = []
  for (const id of ids) rows.push(...(await ask([id])))
  return rows.sort(compare).slice(0, limit)
}

/**
 * Runs a statement that waits for locks; on a cluster as a transaction. Citus takes all statements outside of
 * transactions for one and the same: two that wait for a transaction, and are waited for, are a deadlock to it.
 */
export async function whileLocked<T>(sql: Sql, act: (sql: Sql) => Promise<T>): Promise<T> {
  if (!('begin' in sql) || !(await isDistributed(sql))) return act(sql)
  return (await sql.begin(tx => act(tx as unknown as Sql))) as T
}
