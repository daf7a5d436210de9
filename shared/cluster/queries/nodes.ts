// Finds out whether rows are distributed over several nodes, by project. A process finds out with its first statement,
// so it is restarted after a database was distributed.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'

let known: boolean | undefined

/** Looked up once for the installation of this process; after a failure it is looked up again. */
export async function isDistributed(sql: Sql): Promise<boolean> {
  known ??= await lookWhether(sql)
  return known
}

/** Rows are on one machine, where it was looked up before. */
export const isKnownUndivided = (): boolean => known === false

/** Looks it up in any database. */
export async function lookWhether(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ is_any: boolean }[]>`
    select exists (select 1 from pg_extension where extname = 'citus') and to_regclass('pg_dist_partition') is not null as is_any`
  if (!row!.is_any) return false
  return (
    (await sql`select from pg_dist_partition where logicalrelid = to_regclass('runs') and partmethod = 'h'`)
      .length > 0
  )
}

/** Without effect: the modules on the path of an item still name these. */
export type Reachable = (alias: string) => Fragment
export const askReachable = <T>(sql: Sql, ask: (of: Reachable) => PromiseLike<T>): PromiseLike<T> =>
  ask(() => sql``)
export const canBeAsked = (_project_id: string): boolean => true
export const lostNodes = (): readonly string[] => []
export function refuseUntold(): void {}
