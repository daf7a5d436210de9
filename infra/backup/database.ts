// A session for a backup or a restore: one connection, whose transactions may take as long as the data does.

import postgres, { type Sql } from 'postgres'
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

// Rows that a policy hides are missed, not left out in silence; and for the transaction alone, since a pooler may give
// the next one another connection.
const AT_LENGTH = `
  set local row_security = off; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`

/** Begins a transaction that reads as of one moment, that of the snapshot where one is given. */
export async function beginReading(sql: Sql, snapshot?: string): Promise<void> {
  await sql.unsafe('begin isolation level repeatable read read only')
  if (snapshot !== undefined) await sql.unsafe(`set transaction snapshot '${snapshot}'`)
  await sql.unsafe(AT_LENGTH)
}

export async function beginWriting(sql: Sql): Promise<void> {
  await sql.unsafe('begin')
  await sql.unsafe(AT_LENGTH)
}
