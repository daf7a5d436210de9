// What a test does otherwise on the cluster of CITUS_URL. Guarantee: a test that is left out there says why, and on one
// machine none is left out.

import type { Sql } from '../../shared/context.ts'

export const CLUSTER = process.env.CITUS_URL || undefined

/** For `skipIf`: true on a cluster, where the test cannot be, for the reason that is given. */
export const onCluster = (_why: string): boolean => CLUSTER !== undefined

/** The sessions of a database; on a cluster, those of every node. */
const SESSIONS = CLUSTER === undefined ? 'pg_stat_activity' : 'citus_stat_activity'

/** How many statements wait for a lock in the database; on a cluster, on any of its nodes. */
export async function countWaiting(sql: Sql): Promise<number> {
  const rows = await sql`
    select from ${sql.unsafe(SESSIONS)} where datname = current_database() and wait_event_type = 'Lock'`
  return rows.length
}

/** Ends the sessions that are idle in a transaction, and returns when they are gone with their locks. */
export async function endIdleTransactions(sql: Sql): Promise<void> {
  const idle = sql`datname = current_database() and state = 'idle in transaction'`
  await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity where ${idle}`
  // A node ends its part once it sees that the coordinator's session is gone.
  while ((await sql`select from ${sql.unsafe(SESSIONS)} where ${idle}`).length > 0) {}
}
