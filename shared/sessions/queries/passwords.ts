// Accounts and their members' passwords.

import { and, eq, gt, isNull, ne, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { changeCaller } from '../../accounts/queries/caller-locks.ts'
import { accounts, members, sessions } from '../../accounts/tables/accounts.ts'
import type { Database } from '../../context.ts'

export interface FirstMember {
  id: string
  account_id: string
  account_name: string
  email: string
  password_hash: string
}

/** The member with this e-mail, made with an account of its own if there is none. Concurrent calls take turns. */
export async function ensureFirstMember(db: Database, first: FirstMember) {
  await db.execute(sql`select pg_advisory_xact_lock(hashtext('assay first member'))`)
  const [known] = await db.select().from(members).where(eq(members.email, first.email))
  if (known !== undefined) return { member_id: known.id, account_id: known.account_id }
  await db.insert(accounts).values({ id: first.account_id, name: first.account_name })
  await db.insert(members).values({
    id: first.id,
    account_id: first.account_id,
    email: first.email,
    password_hash: first.password_hash,
  })
  return { member_id: first.id, account_id: first.account_id }
}

/** The member of a link, and who made it: an owner of the same account, in a session that is live. */
export async function findLinkedMember(db: Database, member_id: string, maker_session_id: string) {
  const maker = alias(members, 'maker')
  const { account_id, email, password_hash } = members
  const [row] = await db
    .select({ account_id, email, password_hash, maker_hash: maker.password_hash })
    .from(members)
    .innerJoin(maker, eq(maker.account_id, members.account_id))
    .innerJoin(sessions, eq(sessions.member_id, maker.id))
    .where(
      and(
        eq(members.id, member_id),
        eq(maker.role, 'owner'),
        eq(sessions.id, maker_session_id),
        isNull(sessions.revoked_at),
        gt(sessions.expires_at, sql`now()`),
      ),
    )
  return row
}

/** Sets a member's password and ends the sessions that were opened with the old one, except `kept_session_id`. */
export async function setPassword(
  db: Database,
  member_id: string,
  password_hash: string,
  kept_session_id?: string,
): Promise<void> {
  await changeCaller(db, member_id, async db => {
    await db.update(members).set({ password_hash }).where(eq(members.id, member_id))
    await db
      .update(sessions)
      .set({ revoked_at: sql`now()` })
      .where(
        and(
          eq(sessions.member_id, member_id),
          isNull(sessions.revoked_at),
          kept_session_id === undefined ? undefined : ne(sessions.id, kept_session_id),
        ),
      )
  })
}
