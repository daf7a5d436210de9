// Changes members and their passwords. Guarantee: an account never loses its last owner, and a new password ends every
// session that was opened with the old one, except the caller's own.

import type { Context, Database } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { withinQuota } from '../../quotas/verbs/quotas.ts'
import { setPassword } from '../../sessions/queries/passwords.ts'
import { countTaken } from '../../sessions/verbs/password-guesses.ts'
import { hashPassword } from '../../sessions/verbs/passwords.ts'
import { checkPassword } from '../../sessions/verbs/sign-in.ts'
import type { Revocation, Revoked } from '../queries/made.ts'
import * as store from '../queries/members.ts'
import { isAtLeast, type MemberRole } from '../vocabulary.ts'
import type { MemberRow } from '../wire/members.ts'
import { revokeAllMade } from './revoke-made.ts'

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
 * Returns how much of what a member made was revoked; undefined where the member may do no less than before.
 * @throws ApiError `last_owner`
 */
export function changeRole(
  ctx: Context,
  member: MemberRow,
  role: MemberRole,
  revocation: Revocation,
): Promise<Revoked | undefined> {
  return transaction(ctx, async db => {
    if (role !== 'owner') await keepAnOwner(db, member)
    await store.setRole(db, member.id, role)
    return isAtLeast(role, member.role) ? undefined : revokeAllMade(db, member, revocation)
  })
}

/** Returns how much of what the member made was revoked. @throws ApiError `last_owner` */
export function removeMember(ctx: Context, member: MemberRow, revocation: Revocation): Promise<Revoked> {
  return transaction(ctx, async db => {
    await keepAnOwner(db, member)
    await store.deleteMember(db, member.id)
    return revokeAllMade(db, member, revocation)
  })
}

interface Self {
  member_id: string
  session_id: string
  /** The e-mail. */
  name: string
}

/** Ends all other sessions of the member. @throws ApiError `unauthenticated`, `rate_limited` */
export async function changePassword(ctx: Context, self: Self, current: string, next: string): Promise<void> {
  await checkPassword(ctx, self.name, current)
  const password_hash = await hashPassword(ctx, next)
  await transaction(ctx, db => setPassword(db, self.member_id, password_hash, self.session_id))
}

/** Deletes everything, in bounded steps. @throws ApiError `invalid_request`, `unauthenticated`, `rate_limited` */
export async function deleteAccount(
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
  await transaction(ctx, db => store.deleteAccount(db, self.account_id))
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

const transaction = <T>(ctx: Context, work: (db: Database) => Promise<T>): Promise<T> =>
  ctx.db.transaction(tx => work(tx as unknown as Database))
