// Keeps keys, sessions and members as they are while their writes are under way. Guarantee: who revokes, demotes or removes one
// waits for the writes that began before, and all that begin after wait for it: no caller postpones its own end by writing on.
// A transaction locks in this order, so that no two wait for each other: the revocations of the account, its own caller,
// the callers that it ends, rows.

import { sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'

/** Until the transaction ends; what is read in the next statement holds. */
export async function keepCallers(db: Database, ids: readonly string[]): Promise<void> {
  for (const id of ids) await db.execute(sql`select pg_advisory_xact_lock_shared(${lockOf(id)})`)
}

/** Changes one in a transaction, once the writes that it has under way are over. */
export function changeCaller<T>(db: Database, id: string, change: (db: Database) => Promise<T>): Promise<T> {
  return db.transaction(async tx => {
    await tx.execute(sql`select pg_advisory_xact_lock(${lockOf(id)})`)
    return change(tx as unknown as Database)
  })
}

/** Until the transaction ends, nobody of the account revokes: what it makes is written by then, or its caller is refused. */
export const holdRevocations = (db: Database, account_id: string) =>
  db.execute(sql`select pg_advisory_xact_lock_shared(${lockOf(`${account_id} revocations`)})`)

/** Until the transaction ends, it alone revokes in the account, and waits for keys and triggers that are being made. */
export const revokeAlone = (db: Database, account_id: string) =>
  db.execute(sql`select pg_advisory_xact_lock(${lockOf(`${account_id} revocations`)})`)

/** Not the rows' own locks: whoever shares one of those is let in before those who wait to change it. */
const lockOf = (id: string) => sql`hashtextextended('assay caller ' || ${id}::text, 0)`
