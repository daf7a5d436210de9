// Identifies the caller: a project's key, a signed-in member, or the operator. Guarantee: a revoked key or session
// changes nothing and reads no secret once its revocation is committed. It reads other things for LIMITS.auth_cache_ms at
// most, and not at all in the process that revoked it.

import { sha256 as sha256Now } from '@noble/hashes/sha2.js'
import { liveKey, touchKey } from '../accounts/queries/api-keys.ts'
import { holdRevocations, keepCallers, revokeAlone } from '../accounts/queries/caller-locks.ts'
import { makesRevocable, REVOKES } from '../accounts/rules/grants.ts'
import type { Context, Database } from '../context.ts'
import { ApiError } from '../kernel/errors.ts'
import { sameBytes, sha256, toHex } from '../kernel/secrets.ts'
import { keepSession, liveSession } from '../sessions/queries/sessions.ts'
import { cached } from './caller-cache.ts'
import type { KeyPrincipal, OperatorPrincipal, Principal, SessionPrincipal } from './principal.ts'
import { accessSessionOf } from './session-tokens.ts'

/**
 * The caller named by the Authorization header; throws `unauthenticated` unless it is a live key or session. `anew`
 * bypasses the cache: the row is read after the call.
 */
export async function authenticate(ctx: Context, request: Request, anew = false): Promise<Principal> {
  const token = tokenOf(request)
  const principal = await (token.startsWith('pk_') ? keyPrincipal : sessionPrincipal)(ctx, token, anew)
  if (principal === undefined) throw await unknownCaller(ctx, token)
  refuseExpired(ctx, principal)
  return principal
}

/**
 * The caller as it is in the transaction of `ctx.db`, and stays until it ends: revocations and changes of role wait for it.
 * First in its transaction, as it may lock the account. @throws ApiError `unauthenticated`
 */
export async function keptCaller(ctx: Context, known: Principal, operation_id: string): Promise<Principal> {
  if (REVOKES.includes(operation_id)) await revokeAlone(ctx.db, known.account_id)
  else if (makesRevocable(operation_id)) await holdRevocations(ctx.db, known.account_id)
  const principal = known.kind === 'key' ? await keptKey(ctx.db, known) : await keptSession(ctx.db, known)
  if (principal === undefined) throw unauthenticated(NOT_LIVE)
  refuseExpired(ctx, principal)
  return principal
}

async function keptKey(db: Database, { key_id }: KeyPrincipal): Promise<Principal | undefined> {
  await keepCallers(db, [key_id])
  const key = await liveKey(db, { id: key_id })
  return key && principalOfKey(key)
}

async function keptSession(
  db: Database,
  { session_id, member_id }: SessionPrincipal,
): Promise<Principal | undefined> {
  await keepSession(db, session_id, member_id)
  const session = await liveSession(db, session_id)
  return session && principalOfSession(session_id, session)
}

/** @throws ApiError `unauthenticated`; `forbidden` for any valid key or session */
export async function authenticateOperator(ctx: Context, request: Request): Promise<OperatorPrincipal> {
  if (await isOperatorKey(ctx, tokenOf(request))) return { kind: 'operator' }
  await authenticate(ctx, request)
  throw new ApiError(
    'forbidden',
    "This needs the operator's credential, which no account has.",
    'It is ASSAY_OPERATOR_KEY of the server, or operator.key in the data folder of npm start.',
  )
}

/** @throws ApiError `unauthenticated` */
function tokenOf(request: Request): string {
  const header = request.headers.get('authorization')
  if (header === null) throw unauthenticated('The Authorization header is missing.')
  const token = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(header)?.[1]
  if (token === undefined) throw unauthenticated('The Authorization header is not "Bearer <token>".')
  return token
}

async function isOperatorKey({ config }: Context, token: string): Promise<boolean> {
  if (config.operator_key === undefined) return false
  const [sent, wanted] = await Promise.all([sha256(token), sha256(config.operator_key)])
  return sameBytes(sent, wanted)
}

const unknownCaller = async (ctx: Context, token: string) =>
  (await isOperatorKey(ctx, token))
    ? new ApiError(
        'forbidden',
        "The operator's credential manages accounts only, and nothing in them.",
        'Use a key of the project, or sign in as a member.',
      )
    : unauthenticated(NOT_LIVE)

const NOT_LIVE = 'The key or session is unknown, expired or revoked.'

/**
 * Rethrows the error of a failed request. A caller who was removed while the cache still knew them finds nothing to act
 * on, and is refused like an unknown one. @throws the error itself, or ApiError `unauthenticated`
 */
export async function failedFor(ctx: Context, request: Request, error: unknown): Promise<never> {
  if (!(error instanceof ApiError))
    await authenticate(ctx, request, true).catch(refusal => {
      if (refusal instanceof ApiError) throw refusal
    })
  throw error
}

/**
 * Whether the caller of a request that is still being answered may continue to read. The cache answers, so a revocation
 * is noticed at most LIMITS.auth_cache_ms late. A session must be live; its access token may have expired. @throws if
 * the store cannot answer
 */
export async function mayStillRead(ctx: Context, principal: Principal, request: Request): Promise<boolean> {
  try {
    const found =
      principal.kind === 'key'
        ? await authenticate(ctx, request)
        : await liveSessionOf(ctx, principal.session_id, false)
    return found !== undefined && (found.kind === 'session' || !found.is_suspended)
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** Cached keys expire too. @throws ApiError `unauthenticated` */
function refuseExpired(ctx: Context, principal: Principal): void {
  if (principal.kind !== 'key' || principal.expires_ms === null || ctx.now() < principal.expires_ms) return
  throw new ApiError(
    'unauthenticated',
    `The key ${principal.name}… expired at ${new Date(principal.expires_ms).toISOString()}.`,
    'Make another one: POST /v1/projects/{projectId}/api-keys as a member or with another key of the project.',
  )
}

const unauthenticated = (message: string) =>
  new ApiError(
    'unauthenticated',
    message,
    'Send "Authorization: Bearer <token>" with a project key (pk_…) or the access_token of POST /v1/sessions.',
  )

async function keyPrincipal(ctx: Context, token: string, anew: boolean): Promise<Principal | undefined> {
  // Synchronous: the host's own hash runs in another thread, and waiting for it takes longer than hashing a key.
  const hash = sha256Now(new TextEncoder().encode(token))
  return cached(ctx, toHex(hash), anew, async () => {
    const key = await liveKey(ctx.db, { hash })
    if (key === undefined) return undefined
    const unused_ms = key.last_used_at === null ? Number.POSITIVE_INFINITY : ctx.now() - +key.last_used_at
    if (Math.abs(unused_ms) >= KEY_TOUCH_MS) ctx.waitUntil(touchKey(ctx.db, key.id))
    return principalOfKey(key)
  })
}

/** As often as `touchKey` writes. */
const KEY_TOUCH_MS = 60_000

function principalOfKey(key: NonNullable<Awaited<ReturnType<typeof liveKey>>>): KeyPrincipal {
  const { id: key_id, account_id, project_id, prefix: name, name: label, role, plan } = key
  const is_suspended = key.account_status === 'suspended'
  const { requests_per_second } = key.settings
  const expires_ms = key.expires_at?.getTime() ?? null
  const bounds = { requests_per_second, plan, role, expires_ms, is_suspended }
  return { kind: 'key', account_id, project_id, key_id, name, label, ...bounds }
}

async function sessionPrincipal(ctx: Context, token: string, anew: boolean): Promise<Principal | undefined> {
  const session_id = await accessSessionOf(ctx, token)
  return session_id === undefined ? undefined : liveSessionOf(ctx, session_id, anew)
}

function liveSessionOf(ctx: Context, session_id: string, anew: boolean): Promise<Principal | undefined> {
  return cached(ctx, session_id, anew, async () => {
    const session = await liveSession(ctx.db, session_id)
    return session && principalOfSession(session_id, session)
  })
}

function principalOfSession(
  session_id: string,
  { account_status, ...member }: NonNullable<Awaited<ReturnType<typeof liveSession>>>,
): SessionPrincipal {
  return { kind: 'session', session_id, ...member, is_suspended: account_status === 'suspended' }
}
