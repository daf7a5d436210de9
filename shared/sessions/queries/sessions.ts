// Members and their sessions. A session is dead once it is revoked or its refresh token has expired.

import { and, desc, eq, getTableColumns, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { changeCaller, keepCallers } from '../../accounts/queries/caller-locks.ts'
import { accounts, LIVE_SESSION, members, sessions } from '../../accounts/tables/accounts.ts'
import type { SessionRow } from '../../accounts/wire/members.ts'
import type { Database } from '../../context.ts'

export async function findMemberByEmail(db: Database, email: string) {
  const [row] = await db.select().from(members).where(eq(members.email, email))
  return row
}

export async function insertSession(db: Database, session: typeof sessions.$inferInsert): Promise<void> {
  await db.insert(sessions).values(session)
}

/** The session's member and account, if the session is live. */
export async function liveSession(db: Database, id: string) {
  const [row] = await db
    .select({
      member_id: members.id,
      account_id: members.account_id,
      account_status: accounts.status,
      plan: accounts.plan,
      name: members.email,
      role: members.role,
    })
    .from(sessions)
    .innerJoin(members, eq(members.id, sessions.member_id))
    .innerJoin(accounts, eq(accounts.id, members.account_id))
    .where(and(eq(sessions.id, id), sql.raw(LIVE_SESSION)))
  return row
}

/** Keeps the session from ending, and its member from being changed or removed, until the transaction ends. */
export async function keepSession(db: Database, id: string, member_id: string): Promise<void> {
  await keepCallers(db, [member_id, id])
}

/** The member's password hash, which no transaction changes until this one ends; undefined when there is no member. */
export async function keepMember(db: Database, id: string): Promise<string | undefined> {
  await keepCallers(db, [id])
  const [row] = await db
    .select({ password_hash: members.password_hash })
    .from(members)
    .where(eq(members.id, id))
  return row?.password_hash
}

/** The live session with this current refresh token. */
export async function findRefreshed(db: Database, refresh_hash: Uint8Array) {
  const [row] = await db.select({ id: sessions.id }).from(sessions).where(isRefreshedBy(refresh_hash))
  return row
}

/** Replaces a refresh token by the next one; false when the token is not the session's current one. */
export async function rotateSession(
  db: Database,
  refresh_hash: Uint8Array,
  next: { refresh_hash: Uint8Array; expires_at: Date },
): Promise<boolean> {
  const rows = await db
    .update(sessions)
    .set({ ...next, last_used_at: sql`now()` })
    .where(isRefreshedBy(refresh_hash))
    .returning({ id: sessions.id })
  return rows.length === 1
}

const isRefreshedBy = (refresh_hash: Uint8Array) =>
  and(eq(sessions.refresh_hash, refresh_hash), sql.raw(LIVE_SESSION))

/** Ends a session whose earlier token was sent again, unless that token was replaced less than `moment_ms` ago. */
export async function revokeUsedTwice(db: Database, id: string, moment_ms: number): Promise<void> {
  const isOld = lt(sessions.last_used_at, sql`now() - interval '1 millisecond' * ${moment_ms}`)
  await end(db, id, and(isNull(sessions.revoked_at), isOld))
}

/** A member's live sessions, newest first. */
export function listSessions(
  db: Database,
  member_id: string,
  { before_id, limit }: { before_id: string | undefined; limit: number },
): Promise<SessionRow[]> {
  const { refresh_hash: _, ...columns } = getTableColumns(sessions)
  return db
    .select(columns)
    .from(sessions)
    .where(
      and(
        eq(sessions.member_id, member_id),
        sql.raw(LIVE_SESSION),
        before_id === undefined ? undefined : lt(sessions.id, before_id),
      ),
    )
    .orderBy(desc(sessions.id))
    .limit(limit)
}

/** Ends a live session of the member; false when there is no such one. */
export async function revokeSessionOf(db: Database, member_id: string, id: string): Promise<boolean> {
  const rows = await end(db, id, and(eq(sessions.member_id, member_id), sql.raw(LIVE_SESSION)))
  return rows.length === 1
}

export async function revokeSession(db: Database, id: string): Promise<void> {
  await end(db, id, isNull(sessions.revoked_at))
}

const end = (db: Database, id: string, isSo: SQL | undefined) =>
  changeCaller(db, id, db =>
    db
      .update(sessions)
      .set({ revoked_at: sql`now()` })
      .where(and(eq(sessions.id, id), isSo))
      .returning({ id: sessions.id }),
  )
