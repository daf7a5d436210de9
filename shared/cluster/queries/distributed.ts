// Knows whether rows are distributed over the nodes of a cluster, by project, and reads lists of several projects there.
// Guarantee: on one machine such a list is one statement; on a cluster, which neither sorts nor joins rows of several
// nodes as these lists need it, it is one statement for each project.

import type { Sql } from '../../context.ts'

let known: boolean | undefined

/**
 * Whether rows are distributed. Looked up by the first statement of a process, which is therefore restarted after its
 * database was distributed; after a failure it is looked up again.
 */
export async function isDistributed(sql: Sql): Promise<boolean> {
  known ??= await lookWhether(sql)
  return known
}

/** Looks it up in any database. */
export async function lookWhether(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ is_any: boolean }[]>`
    select exists (select 1 from pg_extension where extname = 'citus') and to_regclass('pg_dist_partition') is not null as is_any`
  if (!row!.is_any) return false
  const runs = await sql`
    select from pg_dist_partition where logicalrelid = to_regclass('runs') and partmethod = 'h'`
  return runs.length > 0
}

/** At most `limit` rows of several projects in one order. */
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
