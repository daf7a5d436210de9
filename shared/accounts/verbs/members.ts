// Changes members and their passwords. Guarantee: an account never loses its last owner, and a new password ends every
// session that was opened with the old one, except the caller's own.

import type { Context, Database } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { withinQuota } from '../../quotas/verbs/quotas.ts'
import { setPassword } from '../../sessions/queries/passwords.ts'
import { keepMember } from '../../sessions/queries/sessions.ts'
import { countTaken } from '../../sessions/verbs/password-guesses.ts'
import { hashPassword } from '../../sessions/verbs/passwords.ts'
import { checkPassword, wrongPassword } from '../../sessions/verbs/sign-in.ts'
import { changeCaller } from '../queries/caller-locks.ts'
import { type Revocation, type Revoked, revokeMade } from '../queries/made.ts'
import * as store from '../queries/members.ts'
import { isAtLeast, type MemberRole } from '../vocabulary.ts'
import type { MemberRow } from '../wire/members.ts'

export interface NewMember {
  account_id: string
  email: string
  role: MemberRole
  password: string
}

/** @throws ApiError `email_taken`, `plan_limit`, `rate_limited` */
export async function addMember(ctx: Context, order: NewMember): Promise<MemberRow> {
  const { password, account_id, ...member } = order
  const asked = await countTaken(ctx, account_id)
  const password_hash = await hashPassword(ctx, password)
  const row = await withinQuota(ctx, { account_id }, 'members', async ctx => {
    const row = await store.insertMember(ctx.db, { id: ctx.newId(), account_id, ...member, password_hash })
    if (row === undefined) {
      throw new ApiError('email_taken', 'Somebody signs in with this e-mail already.', 'Use another e-mail.')
    }
    return row
  })
  await asked.wasFree()
  return row
}

/**
 * In a transaction that revokes alone. Returns how much of what a member made was revoked; undefined where the member may
 * do no less than before.
 * @throws ApiError `last_owner`
 */
export function changeRole(
  ctx: Context,
  member: MemberRow,
  role: MemberRole,
  revocation: Revocation,
): Promise<Revoked | undefined> {
  return changeCaller(ctx.db, member.id, async db => {
    if (role !== 'owner') await keepAnOwner(db, member)
    await store.setRole(db, member.id, role)
    return isAtLeast(role, member.role) ? undefined : revokeMade(db, member, revocation)
  })
}

/** In a transaction that revokes alone. Returns how much of what the member made was revoked. @throws ApiError `last_owner` */
export function removeMember(ctx: Context, member: MemberRow, revocation: Revocation): Promise<Revoked> {
  return changeCaller(ctx.db, member.id, async db => {
    await keepAnOwner(db, member)
    await store.deleteMember(db, member.id)
    return revokeMade(db, member, revocation)
  })
}

interface Self {
  member_id: string
  session_id: string
  /** The e-mail. */
  name: string
}

/** Both hashes of a change of password. */
export interface CheckedPassword {
  current: string
  next: string
}

/** Checks the current password, and hashes the next one: outside of transactions. @throws ApiError `unauthenticated`, `rate_limited` */
export async function checkNewPassword(
  ctx: Context,
  self: Self,
  current: string,
  next: string,
): Promise<CheckedPassword> {
  const { password_hash } = await checkPassword(ctx, self.name, current)
  return { current: password_hash, next: await hashPassword(ctx, next) }
}

/** Ends all other sessions of the member. @throws ApiError `unauthenticated` where there is another password by now */
export async function changePassword(
  ctx: Context,
  self: Self,
  { current, next }: CheckedPassword,
): Promise<void> {
  if ((await keepMember(ctx.db, self.member_id)) !== current) throw wrongPassword()
  await setPassword(ctx.db, self.member_id, next, self.session_id)
}

/** That the caller means it, and is the member. @throws ApiError `invalid_request`, `unauthenticated`, `rate_limited` */
export async function confirmDeletion(
  ctx: Context,
  self: Self & { account_id: string },
  confirmation: { account_name: string; password: string },
): Promise<void> {
  const account = (await store.findAccount(ctx.db, self.account_id))!
  if (confirmation.account_name !== account.name) {
    throw new ApiError(
      'invalid_request',
      'Field "account_name" is not the name of the account.',
      'Everything is deleted for good: to confirm, repeat the name that GET /v1/account returns.',
    )
  }
  await checkPassword(ctx, self.name, confirmation.password)
}

/** Deletes everything, in bounded steps. */
export async function deleteAccount(ctx: Context, account_id: string): Promise<void> {
  await store.deleteAccount(ctx.db, account_id)
  ctx.notify()
}

async function keepAnOwner(db: Database, member: MemberRow): Promise<void> {
  await store.lockMembers(db, member.account_id)
  if (member.role !== 'owner' || (await store.countOwners(db, member.account_id)) > 1) return
  throw new ApiError(
    'last_owner',
    'This is the only owner of the account.',
    'Make another member an owner first; POST /v1/account/deletion removes the whole account.',
  )
}
