// Sessions of members. Guarantee: a refresh token works once, and a wrong e-mail looks like a wrong password.

import type { Context, Database } from '../context.ts'
import { ApiError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { randomWord, sha256, toHex } from '../domain/secrets.ts'
import { type Bucket, takeTokens } from '../hints/rate.ts'
import { insertAuditEntry } from '../store/audit.ts'
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

/** Who asks, as far as the host knows. */
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
  const next = await newRefresh(ctx)
  const user_agent = client.user_agent
    .replaceAll('\0', '')
    .toWellFormed()
    .slice(0, LIMITS.user_agent_characters)
  await ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
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
  return { session_id: id, ...next.told }
}

/**
 * The member with this e-mail and password. Failed attempts are counted for each e-mail, whether or not it is a
 * member's, and for each address. @throws ApiError `unauthenticated`, `rate_limited`
 */
export async function checkPassword(
  ctx: Context,
  email: string,
  password: string,
  address: string | null = null,
) {
  const known = email.trim().toLowerCase()
  // The address first: one that is refused must not use up the attempts of those it pretends to be.
  const buckets = [
    ...(address === null ? [] : [bucketOf(`address:${address}`, LIMITS.sign_ins_per_address)]),
    bucketOf(`email:${toHex(await sha256(known))}`, LIMITS.sign_ins_per_email),
  ]
  for (const bucket of buckets) {
    const wait_ms = await takeTokens(ctx.redis, bucket, 1, ctx.now())
    if (wait_ms > 0) throw tooMany(wait_ms)
  }
  const member = await findMemberByEmail(ctx.db, known)
  if (!(await passwordMatches(password, member?.password_hash)) || member === undefined) {
    throw new ApiError('unauthenticated', 'The e-mail or the password is wrong.')
  }
  for (const bucket of buckets) await takeTokens(ctx.redis, bucket, -1, ctx.now())
  return member
}

const bucketOf = (name: string, { burst, per_minute }: { burst: number; per_minute: number }): Bucket => ({
  name: `sign-in:${name}`,
  burst,
  per_second: per_minute / 60,
})

function tooMany(wait_ms: number): ApiError {
  const wait_s = Math.ceil(wait_ms / 1000)
  const seconds = wait_s === 1 ? 'a second' : `${wait_s} seconds`
  return new ApiError('rate_limited', 'Too many failed sign-ins.', `Try again in ${seconds}.`, wait_s)
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
