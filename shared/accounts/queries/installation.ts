// The one row about the installation as a whole. Guarantee: its fingerprint is written once, and a hold that has ended
// does not come back by itself.

import type { Sql } from '../../context.ts'

export interface InstallationRow {
  key_fingerprint: string | null
  held_since: Date | null
  restored_from: Date | null
}

export async function readInstallationRow(sql: Sql): Promise<InstallationRow> {
  const [row] = await sql<
    InstallationRow[]
  >`select key_fingerprint, held_since, restored_from from installation`
  return row!
}

const ids = new WeakMap<Sql, string>()

/**
 * The id of this database among others, asked for once. Whoever copied a database copied its random number, so it has the
 * database's and the server's own number too, the latter as far as the role may read it.
 */
export async function readInstallationId(sql: Sql): Promise<string> {
  const known = ids.get(sql)
  if (known !== undefined) return known
  const [row] = await sql<{ id: string; may_know: boolean }[]>`
    select concat_ws('/', i.id, d.oid) as id, has_function_privilege('pg_control_system()', 'execute') as may_know
    from installation i, pg_database d where d.datname = current_database()`
  // A statement of its own: PostgreSQL checks the right to a function before it runs any part of a statement.
  const [server] = row!.may_know
    ? await sql<{ id: string }[]>`select system_identifier::text as id from pg_control_system()`
    : []
  const id = server ? `${row!.id}/${server.id}` : row!.id
  ids.set(sql, id)
  return id
}

/** Whether the installation is held, as an SQL condition: one page, read once per statement. */
export const IS_HELD = '(select held_since is not null from installation)'
export const isHeld = (sql: Sql) => sql.unsafe(IS_HELD)

/** Writes the fingerprint if there is none; returns the stored one. */
export async function keepFingerprint(sql: Sql, fingerprint: string): Promise<string> {
  const { key_fingerprint: kept } = await readInstallationRow(sql)
  if (kept !== null) return kept
  const [row] = await sql<{ key_fingerprint: string }[]>`
    update installation set key_fingerprint = ${fingerprint} where key_fingerprint is null returning key_fingerprint`
  return row?.key_fingerprint ?? (await readInstallationRow(sql)).key_fingerprint!
}

/** Ends the hold; returns when it began, null if there was none. */
export async function endHold(sql: Sql): Promise<Date | null> {
  const [row] = await sql<{ since: Date }[]>`
    update installation i set held_since = null from installation before
    where before.held_since is not null and i.only = before.only returning before.held_since as since`
  return row?.since ?? null
}

/** Whether anything was ever sealed, signed or handed out here. */
export async function hasAccounts(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select exists (select 1 from accounts) as found`
  return row!.found
}
