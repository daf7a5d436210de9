// Whether the rows of an installation lie on several nodes, by project. Guarantee: on one machine a statement over all
// projects stays one statement; on a cluster it is asked for one project after another, so that it holds locks of no two.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'

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

/** Whom to ask for: on a cluster those projects that `look` finds, by their `project_id`. */
export async function projectsToAsk(sql: Sql, look: () => Fragment): Promise<Asked[]> {
  if (!(await isDistributed(sql))) return [null]
  const rows = await sql<{ project_id: string }[]>`${look()}`
  return rows.map(row => row.project_id)
}

/** The condition that names the project asked for, to follow others. */
export const asked = (sql: Sql, alias: string, project: Asked): Fragment =>
  project === null ? sql`` : sql`and ${sql.unsafe(alias)}.project_id = ${project}`

/** The project of rows to insert: as they say it, or that asked for, by which a cluster finds their node. */
export const projectOf = (sql: Sql, column: string, project: Asked): Fragment =>
  project === null ? sql`${sql.unsafe(column)}` : sql`${project}::uuid`
