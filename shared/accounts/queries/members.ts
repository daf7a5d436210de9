// Members of accounts. An account always has an owner.

import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import { accounts, members } from '../tables/accounts.ts'
import type { MemberRole } from '../vocabulary.ts'
import type { AccountRow, MemberRow } from '../wire/members.ts'

const columns = {
  id: members.id,
  account_id: members.account_id,
  email: members.email,
  role: members.role,
  created_at: members.created_at,
}

export async function findAccount(db: Database, id: string): Promise<AccountRow | undefined> {
  const [row] = await db.select().from(accounts).where(eq(accounts.id, id))
  return row
}

/** Oldest first. */
export function listMembers(
  db: Database,
  account_id: string,
  { after_id, limit }: { after_id: string | undefined; limit: number },
): Promise<MemberRow[]> {
  return db
    .select(columns)
    .from(members)
    .where(
      and(eq(members.account_id, account_id), after_id === undefined ? undefined : gt(members.id, after_id)),
    )
    .orderBy(asc(members.id))
    .limit(limit)
}

export async function findMember(
  db: Database,
  account_id: string,
  id: string,
): Promise<MemberRow | undefined> {
  const [row] = await db
    .select(columns)
    .from(members)
    .where(and(eq(members.account_id, account_id), eq(members.id, id)))
  return row
}

/** Undefined when the e-mail is taken. */
export async function insertMember(
  db: Database,
  member: typeof members.$inferInsert,
): Promise<MemberRow | undefined> {
  const [row] = await db.insert(members).values(member).onConflictDoNothing().returning(columns)
  return row
}

/** Makes other transactions that change the account's members wait until this one ends. */
export async function lockMembers(db: Database, account_id: string): Promise<void> {
  await db.execute(sql`select from accounts where id = ${account_id} for no key update`)
}

export async function countOwners(db: Database, account_id: string): Promise<number> {
  return db.$count(members, and(eq(members.account_id, account_id), eq(members.role, 'owner')))
}

export async function setRole(db: Database, id: string, role: MemberRole): Promise<void> {
  await db.update(members).set({ role }).where(eq(members.id, id))
}

/** The member's sessions go with it. */
export async function deleteMember(db: Database, id: string): Promise<void> {
  await db.delete(members).where(eq(members.id, id))
}

/** Deletes the account with its members, sessions and log. Its projects lose their account; the tick removes them. */
export async function deleteAccount(db: Database, id: string): Promise<void> {
  // The account before its projects: a change within a quota locks them in this order.
  await lockMembers(db, id)
  await db.execute(sql`update projects set account_id = null, updated_at = now() where account_id = ${id}`)
  await db.delete(accounts).where(eq(accounts.id, id))
}
