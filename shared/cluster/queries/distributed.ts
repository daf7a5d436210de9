// Whether the rows of an installation lie on several nodes, by project. Guarantee: on one machine a statement over all
// projects stays one statement; on a cluster one is asked for each project, and none takes locks of two. A process knows
// which from its first statement on: it is started again after a database was distributed.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'
import { askReachable, canBeAsked, type Reachable } from './nodes.ts'

let known: boolean | undefined

/** Of the installation that this process works on; looked up until somebody knows. */
export async function isDistributed(sql: Sql): Promise<boolean> {
  known ??= await look(sql)
  return known
}

async function look(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ is_any: boolean }[]>`
    select exists (select from pg_extension where extname = 'citus') and to_regclass('pg_dist_partition') is not null as is_any`
  if (!row!.is_any) return false
  return (
    (await sql`select from pg_dist_partition where logicalrelid = to_regclass('runs') and partmethod = 'h'`)
      .length > 0
  )
}

/** A project to ask for; null stands for all of them, on one machine. */
export type Asked = string | null

/** Whom to ask for: on a cluster those projects that `look` finds, by their `project_id`, on nodes that answer. */
export async function projectsToAsk(sql: Sql, look: (of: Reachable) => Fragment): Promise<Asked[]> {
  if (!(await isDistributed(sql))) return [null]
  const rows = await askReachable(sql, of => sql<{ project_id: string }[]>`${look(of)}`)
  return rows.map(row => row.project_id)
}

/** No more than `limit` rows of all projects that `look` finds, or on one machine of all there are. */
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

/** Rows by whom they are asked for: on one machine all of them together, on a cluster those of each project that can be asked. */
export async function byProject<T extends { project_id: string }>(
  sql: Sql,
  rows: readonly T[],
): Promise<[project: Asked, own: T[]][]> {
  if (rows.length === 0) return []
  if (!(await isDistributed(sql))) return [[null, [...rows]]]
  return [...Map.groupBy(rows, row => row.project_id)].filter(([project]) => canBeAsked(project))
}

/** The project of what its id alone names on one machine: a cluster finds its node by it, and asks no other. */
export const nodeOf = async (sql: Sql, project: string): Promise<Asked> =>
  (await isDistributed(sql)) ? project : null

/** A part of a statement on the run `r`, whose project a cluster wants named in every part of it. */
export function inProject(sql: Sql, part: string, node: Asked): Fragment {
  const [first, ...others] = node === null ? [part] : part.split(/\br\.project_id\b/)
  return others.reduce(
    (before, after) => sql`${before}${node}::uuid${sql.unsafe(after)}`,
    sql`${sql.unsafe(first!)}`,
  )
}

/** The condition that names the project asked for, to follow others. */
export const asked = (sql: Sql, alias: string, project: Asked): Fragment =>
  project === null ? sql`` : sql`and ${sql.unsafe(alias)}.project_id = ${project}`

/** The project of rows to insert: as they say it, or that asked for, by which a cluster finds their node. */
export const projectOf = (sql: Sql, column: string, project: Asked): Fragment =>
  project === null ? sql`${sql.unsafe(column)}` : sql`${project}::uuid`

/** Projects that the caller may see, as `p(id)`: one alone by its id, from which a cluster knows the node. */
export const asProjects = (sql: Sql, ids: readonly string[]): Fragment =>
  ids.length === 1 ? sql`(select ${ids[0]!}::uuid as id) p` : sql`unnest(${[...ids]}::uuid[]) as p(id)`

/** The condition that names the project where there is one alone, to follow others. */
export const ofOne = (sql: Sql, alias: string, ids: readonly string[]): Fragment =>
  asked(sql, alias, ids.length === 1 ? ids[0]! : null)

/** Rows of several projects, the first of all of them first: on a cluster, where each lies elsewhere, put in order here. */
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
