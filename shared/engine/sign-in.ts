// Sessions of members. Guarantee: a refresh token works once, and a wrong e-mail looks like a wrong password.

import type { Context } from '../context.ts'
import { ApiError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { randomWord, sha256 } from '../domain/secrets.ts'
import { findMemberByEmail, insertSession, revokeSession, rotateSession } from '../store/sessions.ts'
import { passwordMatches } from './passwords.ts'

/** A session's id and the token that prolongs it; the edge signs the access token. */
export interface OpenedSession {
  session_id: string
  refresh_token: string
  refresh_expires_at: string
}

const REFRESH_BYTES = 32
const DAY_MS = 86_400_000

/** @throws ApiError `unauthenticated` */
export async function signIn(ctx: Context, email: string, password: string): Promise<OpenedSession> {
  const member = await findMemberByEmail(ctx.db, email.trim().toLowerCase())
  if (!(await passwordMatches(password, member?.password_hash)) || member === undefined) {
    throw new ApiError('unauthenticated', 'The e-mail or the password is wrong.')
  }
  const id = ctx.newId()
  const next = await newRefresh(ctx)
  await insertSession(ctx.db, { id, member_id: member.id, ...next.stored })
  return { session_id: id, ...next.told }
}

/** @throws ApiError `unauthenticated` */
export async function refreshSession(ctx: Context, refresh_token: string): Promise<OpenedSession> {
  const next = await newRefresh(ctx)
  const session = await rotateSession(ctx.db, await sha256(refresh_token), next.stored)
  if (session === undefined) {
    const hint = 'Each refresh token works once; sign in again with POST /v1/sessions.'
    throw new ApiError('unauthenticated', 'The refresh token is unknown, used, expired or revoked.', hint)
  }
  return { session_id: session.id, ...next.told }
}

async function newRefresh(ctx: Context) {
  const refresh_token = `rt_${randomWord(ctx.random, REFRESH_BYTES)}`
  const expires_at = new Date(ctx.now() + LIMITS.refresh_days * DAY_MS)
  return {
    stored: { refresh_hash: await sha256(refresh_token), expires_at },
    told: { refresh_token, refresh_expires_at: expires_at.toISOString() },
  }
}

/** Ends a session; its refresh token is dead at once. */
export function signOut(ctx: Context, session_id: string): Promise<void> {
  return revokeSession(ctx.db, session_id)
}
