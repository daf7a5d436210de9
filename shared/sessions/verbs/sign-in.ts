// Opens, refreshes and ends sessions of members. Guarantee: a refresh token works once, a token used twice ends its
// session, and a wrong e-mail looks like a wrong password.

import { insertAuditEntry } from '../../accounts/queries/audit.ts'
import type { Context, Database } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { sha256 } from '../../kernel/secrets.ts'
import {
  findMemberByEmail,
  findRefreshed,
  insertSession,
  keepMember,
  revokeSession,
  revokeUsedTwice,
  rotateSession,
} from '../queries/sessions.ts'
import { countGuess } from './password-guesses.ts'
import { passwordMatches } from './passwords.ts'
import { refreshToken, sessionOfRefresh } from './refresh-token.ts'
import { noteRefusal } from './refusals.ts'

/** A session's id and the token that prolongs it; the http layer signs the access token. */
export interface OpenedSession {
  session_id: string
  refresh_token: string
  refresh_expires_at: string
}

const DAY_MS = 86_400_000

/** The caller, as far as the host knows. */
export interface Client {
  address: string | null
  user_agent: string
}

/** @throws ApiError `unauthenticated`, `rate_limited` */
export async function signIn(
  ctx: Context,
  email: string,
  password: string,
  client: Client,
): Promise<OpenedSession> {
  const member = await checkPassword(ctx, email, password, client.address)
  const id = ctx.newId()
  const next = await newRefresh(ctx, id)
  const user_agent = client.user_agent
    .replaceAll('\0', '')
    .toWellFormed()
    .slice(0, LIMITS.user_agent_characters)
  await ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    // The password was checked before: who has changed it meanwhile ended all sessions that there were.
    if ((await keepMember(db, member.id)) !== member.password_hash) throw wrongPassword()
    await insertSession(db, { id, member_id: member.id, user_agent, ...next.stored })
    await insertAuditEntry(db, {
      id: ctx.newId(),
      account_id: member.account_id,
      actor_kind: 'member',
      actor_id: member.id,
      actor_name: member.email,
      action: 'createSession',
      target_id: id,
    })
  })
  return { session_id: id, ...next.answer }
}

/**
 * The member with this e-mail and password. @throws ApiError `unauthenticated`, `rate_limited`
 */
export async function checkPassword(
  ctx: Context,
  email: string,
  password: string,
  address: string | null = null,
) {
  const known = email.trim().toLowerCase()
  const guess = await countGuess(ctx, known, address)
  const member = await findMemberByEmail(ctx.db, known)
  const isRight = await passwordMatches(ctx, address ?? known, password, member?.password_hash)
  if (!isRight || member === undefined) {
    if (member !== undefined) noteRefusal(ctx, { ...refusedSignIn(member), address })
    throw wrongPassword()
  }
  await guess.wasRight()
  return member
}

export const wrongPassword = () => new ApiError('unauthenticated', 'The e-mail or the password is wrong.')

const refusedSignIn = ({ id, account_id }: { id: string; account_id: string }) => ({
  operation_id: 'createSession' as const,
  account_id,
  target_id: id,
})

/**
 * The session's next tokens. A token sent twice is in two hands: the session ends, unless it comes so soon that its
 * caller may have missed the answer. @throws ApiError `unauthenticated`
 */
export async function refreshSession(ctx: Context, refresh_token: string): Promise<OpenedSession> {
  const hash = await sha256(refresh_token)
  const session = await findRefreshed(ctx.db, hash)
  const next = session && (await newRefresh(ctx, session.id))
  if (next === undefined || !(await rotateSession(ctx.db, hash, next.stored))) {
    const of = await sessionOfRefresh(ctx, refresh_token)
    if (of !== undefined) await revokeUsedTwice(ctx.db, of, LIMITS.refresh_again_ms)
    const hint = 'Each refresh token works once; sign in again with POST /v1/sessions.'
    throw new ApiError('unauthenticated', 'The refresh token is unknown, used, expired or revoked.', hint)
  }
  return { session_id: session!.id, ...next.answer }
}

async function newRefresh(ctx: Context, session_id: string) {
  const refresh_token = await refreshToken(ctx, session_id)
  const expires_at = new Date(ctx.now() + LIMITS.refresh_days * DAY_MS)
  return {
    stored: { refresh_hash: await sha256(refresh_token), expires_at },
    answer: { refresh_token, refresh_expires_at: expires_at.toISOString() },
  }
}

/** Ends a session; its refresh token is dead at once. */
export function signOut(ctx: Context, session_id: string): Promise<void> {
  return revokeSession(ctx.db, session_id)
}
