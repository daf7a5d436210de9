// Makes and uses links by which a member sets a password without the one before, made by an owner who has learned that it
// is lost. Guarantee: a link works once, for one member, for LIMITS.password_link_hours, and only while the session that
// made it is live, with the password that its owner had; nothing about it is stored.

import { insertAuditEntry } from '../../accounts/queries/audit.ts'
import { keepCallers, revokeAlone } from '../../accounts/queries/caller-locks.ts'
import type { Context, Database } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { isUuid } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { fromBase64Url, namedSecret, sameBytes, toBase64Url } from '../../kernel/secrets.ts'
import { findLinkedMember, setPassword } from '../queries/passwords.ts'
import { hashPassword } from './passwords.ts'

const HOUR_MS = 3_600_000
/** Where the page is that takes the new password. */
const PAGE = '/dashboard/password'

export interface PasswordLink {
  url: string
  expires_at: string
}

/** @throws ApiError `invalid_request` for a link to oneself, `not_found` */
export async function makePasswordLink(
  ctx: Context,
  maker: { member_id: string; session_id: string },
  member_id: string,
): Promise<PasswordLink> {
  if (maker.member_id === member_id)
    throw new ApiError(
      'invalid_request',
      'A link is for the password of another member.',
      'Change your own with POST /v1/account/password, which takes the current one.',
    )
  const member = await findLinkedMember(ctx.db, member_id, maker.session_id)
  if (member === undefined) throw new ApiError('not_found', 'There is no such member in this account.')
  const expires_ms = ctx.now() + LIMITS.password_link_hours * HOUR_MS
  const words = [member_id, maker.session_id, String(expires_ms)]
  const seal = toBase64Url(await sealOf(ctx, words, member))
  return {
    url: `${ctx.config.base_url}${PAGE}?token=${[...words, seal].join('.')}`,
    expires_at: new Date(expires_ms).toISOString(),
  }
}

/** Sets the password and ends all sessions of the member. @throws ApiError `unauthenticated`, `rate_limited` */
export async function usePasswordLink(ctx: Context, token: string, password: string): Promise<void> {
  const [member_id = '', maker_session_id = '', expires = '', seal = '', ...more] = token.split('.')
  const given = fromBase64Url(seal)
  const isWhole = [member_id, maker_session_id].every(isUuid) && /^\d{13}$/.test(expires) && more.length === 0
  if (!isWhole || given === undefined || Number(expires) <= ctx.now()) throw spent()
  const linkedIn = async (db: Database): Promise<Linked> => {
    const linked = await findLinkedMember(db, member_id, maker_session_id)
    if (linked === undefined) throw spent()
    if (sameBytes(given, await sealOf(ctx, [member_id, maker_session_id, expires], linked))) return linked
    throw spent()
  }
  const { account_id } = await linkedIn(ctx.db)
  const password_hash = await hashPassword(ctx, password)
  await ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    await revokeAlone(db, account_id)
    await keepCallers(db, [maker_session_id])
    const member = await linkedIn(db)
    await setPassword(db, member_id, password_hash)
    await insertAuditEntry(db, {
      id: ctx.newId(),
      account_id,
      actor_kind: 'member',
      actor_id: member_id,
      actor_name: member.email,
      action: 'usePasswordLink',
      target_id: member_id,
    })
  })
}

type Linked = NonNullable<Awaited<ReturnType<typeof findLinkedMember>>>

/** Both passwords are part of the seal: a link is spent as soon as there is another one, of its member or its maker. */
const sealOf = (ctx: Context, words: readonly string[], { password_hash, maker_hash }: Linked) =>
  namedSecret(
    ctx.config.master_key,
    'session',
    JSON.stringify(['password link', ...words, password_hash, maker_hash]),
  )

const spent = () =>
  new ApiError(
    'unauthenticated',
    'This link is unknown, used or expired, or who made it has signed out or changed their password.',
    'Ask an owner of the account for another one.',
  )
