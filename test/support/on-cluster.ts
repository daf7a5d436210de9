// What a test does otherwise on the cluster of CITUS_URL. Guarantee: a test that is left out there says why, and on one
// machine none is left out.

import type { Sql } from '../../shared/context.ts'

export const CLUSTER = process.env.CITUS_URL || undefined

/** For `skipIf`: true on a cluster, where the test cannot be, for the reason that is given. */
export const onCluster = (_why: string): boolean => CLUSTER !== undefined

/** How many statements wait for a lock in the database; on a cluster, on any of its nodes. */
export async function countWaiting(sql: Sql): Promise<number> {
  const sessions = sql.unsafe(CLUSTER === undefined ? 'pg_stat_activity' : 'citus_stat_activity')
  const rows = await sql`
    select from ${sessions} where datname = current_database() and wait_event_type = 'Lock'`
  return rows.length
}
