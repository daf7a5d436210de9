// Opens a session for a backup or a restore: one connection, whose transactions have no time limit.

import postgres, { type Sql } from 'postgres'
import { lookWhether } from '../../shared/cluster/queries/distributed.ts'
import type { Sql as ProductSql } from '../../shared/context.ts'
import { postgresOptions } from '../node/postgres-options.ts'

export interface Database {
  url: string
  ca?: string | undefined
}

export function openSession({ url: databaseUrl, ca }: Database): Sql {
  const { url, connection, ...session } = postgresOptions({ url: databaseUrl, ca })
  return postgres(url, {
    ...session,
    max: 1,
    max_lifetime: null,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { ...connection, application_name: 'assay backup' },
  })
}

// With row_security off, PostgreSQL reports an error instead of hiding rows by a policy. Set for the transaction only,
// since a pooler may give the next transaction another connection.
const AT_LENGTH = `
  set local row_security = off; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`

/** Begins a read-only transaction on one snapshot, which is `snapshot` where it is given. */
export async function beginReading(sql: Sql, snapshot?: string): Promise<void> {
  await sql.unsafe('begin isolation level repeatable read read only')
  if (snapshot !== undefined) await sql.unsafe(`set transaction snapshot '${snapshot}'`)
  await sql.unsafe(AT_LENGTH)
}

export async function beginWriting(sql: Sql): Promise<void> {
  await sql.unsafe('begin')
  await sql.unsafe(AT_LENGTH)
}

/** Whether its rows lie on the nodes of a cluster. */
export const isDistributed = (sql: Sql): Promise<boolean> => lookWhether(sql as unknown as ProductSql)

/** How many sessions of servers are open to the database. */
export async function countServers(sql: Sql): Promise<number> {
  const [others] = await sql<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and application_name = 'assay' and pid <> pg_backend_pid()`
  return others!.n
}
