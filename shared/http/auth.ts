// Identifies the caller: a project's key, a signed-in member, or the operator. Guarantee: a revoked key or session
// changes nothing and reads no secret once its revocation is committed. It reads other things for LIMITS.auth_cache_ms at
// most, and not at all in the process that revoked it.

import { sha256 as sha256Now } from '@noble/hashes/sha2.js'
import { jwtVerify, SignJWT } from 'jose'
import { liveKey, touchKey } from '../accounts/queries/api-keys.ts'
import { holdRevocations, keepCallers, revokeAlone } from '../accounts/queries/caller-locks.ts'
import { makesRevocable, REVOKES } from '../accounts/rules/grants.ts'
import { isAtLeast, type KeyRole, type MemberRole } from '../accounts/vocabulary.ts'
import type { Context, Database } from '../context.ts'
import { authorName } from '../items/rules/started-by.ts'
import type { StartedBy } from '../items/vocabulary.ts'
import { sinceMs } from '../kernel/elapsed.ts'
import { ApiError } from '../kernel/errors.ts'
import { LIMITS } from '../kernel/limits.ts'
import { derivedKey, sameBytes, sha256, toHex } from '../kernel/secrets.ts'
import { isListed } from '../prices/rules/price-book.ts'
import type { SetQuotas } from '../quotas/rules/quotas.ts'
import { keepSession, liveSession } from '../sessions/queries/sessions.ts'

export interface KeyPrincipal {
  kind: 'key'
  account_id: string
  project_id: string
  key_id: string
  /** The prefix by which people recognize the key. */
  name: string
  /** The name that people gave it. */
  label: string
  requests_per_second: number | undefined
  /** What the operator set for the account. */
  plan: SetQuotas
  role: KeyRole
  is_suspended: boolean
  /** Milliseconds since 1970; null is never. */
  expires_ms: number | null
}

export interface SessionPrincipal {
  kind: 'session'
  account_id: string
  member_id: string
  session_id: string
  /** What the operator set for the account. */
  plan: SetQuotas
  /** The member's e-mail. */
  name: string
  role: MemberRole
  is_suspended: boolean
}

export type Principal = KeyPrincipal | SessionPrincipal

/** The installation's operator: belongs to no account, and may only manage accounts. */
export interface OperatorPrincipal {
  kind: 'operator'
}

/** The caller as the starter of a run or a recovery. */
export const starterOf = (principal: Principal): StartedBy =>
  principal.kind === 'key'
    ? { kind: 'key', id: principal.key_id, name: principal.label }
    : { kind: 'member', id: principal.member_id, name: principal.name }

/** The caller as decisions name it, also once it is removed. */
export const authorOf = (principal: Principal): string => authorName(starterOf(principal))

const ISSUER = 'assay'
const AUDIENCE = 'assay-api'
const BROWSER_AUDIENCE = 'assay-dashboard'
const cache = new Map<string, { principal: Principal; asked_ms: number; isRenewed: boolean }>()
/** How often callers were forgotten: a look-up that began before may have read what is no longer so. */
let forgotten = 0

/** Looks the account's callers up again, since what they may do has changed. */
export function forgetCallers(account_id: string): void {
  forgotten++
  for (const [name, { principal }] of cache) if (principal.account_id === account_id) cache.delete(name)
}

/** Looks the session up again. */
export function forgetSession(session_id: string): void {
  forgotten++
  cache.delete(session_id)
}

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
 * Refuses the keys of a suspended account, and its members everything but reads and Account operations. Starts of runs
 * pass: run admission refuses them with 402. @throws ApiError `suspended`
 */
export function refuseSuspended(
  principal: Principal,
  operation: { tag: string; method: string; errors: readonly string[] },
): void {
  if (!principal.is_suspended || operation.errors.includes('account_suspended')) return
  const isOfMembers = operation.tag === 'Account' || operation.method === 'get'
  if (principal.kind === 'session' && isOfMembers) return
  throw new ApiError(
    'suspended',
    principal.kind === 'key'
      ? 'The account is suspended: its keys open nothing.'
      : 'The account is suspended: its members may only read.',
    'Whoever operates this installation resumes it; nothing is lost meanwhile.',
  )
}

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

/** The id of the key or session, by which the caller's share is counted. */
export const callerOf = (principal: Principal): string =>
  principal.kind === 'key' ? principal.key_id : principal.session_id

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

/** Refuses a caller whose role is not enough. @throws ApiError `forbidden` */
export function checkRole(principal: Principal, least: MemberRole): void {
  const { role } = principal
  if (isAtLeast(role, least)) return
  throw new ApiError(
    'forbidden',
    `This needs the role ${least}; yours is ${role}.`,
    principal.kind === 'key'
      ? 'Use a key that was made with this role, or sign in.'
      : 'An owner of the account changes roles with PATCH /v1/members/{memberId}.',
  )
}

/** What only an owner who is signed in may set. @throws ApiError `forbidden` */
export function checkOwner(principal: Principal): void {
  if (principal.kind === 'session') return checkRole(principal, 'owner')
  throw new ApiError(
    'forbidden',
    'Limits are set by owners who are signed in; this is a key.',
    'Sign in: assay login, or POST /v1/sessions.',
  )
}

export const isOwner = (principal: Principal): boolean =>
  principal.kind === 'session' && principal.role === 'owner'

/** An owner's credit and budgets count by the list: only an owner sets another price. @throws ApiError `forbidden` */
export function checkPricing(principal: Principal, model: string): void {
  if (!isListed(model) || isOwner(principal)) return
  throw new ApiError(
    'forbidden',
    `The price list has ${model}: only an owner who is signed in sets another price.`,
    'Keys and other members price models that neither a list nor an owner has priced.',
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
  const session_id = await sessionIdOf(ctx, token, AUDIENCE)
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

/**
 * Caches only callers that were found, so a new key works at once. An entry used in the second half of its time is
 * renewed in the background, so a steady caller never waits for the look-up.
 */
async function cached(ctx: Context, name: string, anew: boolean, look: Look) {
  if (anew) return lookedUpAnew(ctx, name, look)
  const known = cache.get(name)
  const left_ms = known === undefined ? 0 : LIMITS.auth_cache_ms - sinceMs(ctx.now(), known.asked_ms)
  if (known === undefined || left_ms <= 0) return renewed(ctx, name, look)
  if (left_ms < LIMITS.auth_cache_ms / 2 && !known.isRenewed) {
    known.isRenewed = true
    ctx.waitUntil(renewed(ctx, name, look).catch(() => {})) // after expiry the next caller looks it up again
  }
  return known.principal
}

type Look = () => Promise<Principal | undefined>

/** Look-ups under way that took no answer from the cache, and the ones that begin when these have ended. */
const looking = new Map<
  string,
  { now: Promise<Principal | undefined>; next?: Promise<Principal | undefined> }
>()

/** Many requests of one caller share a look-up, as long as it begins after each of them has arrived. */
function lookedUpAnew(ctx: Context, name: string, look: Look): Promise<Principal | undefined> {
  const underWay = looking.get(name)
  if (underWay === undefined) return lookedUp(ctx, name, look)
  underWay.next ??= underWay.now.catch(() => {}).then(() => lookedUp(ctx, name, look))
  return underWay.next
}

function lookedUp(ctx: Context, name: string, look: Look): Promise<Principal | undefined> {
  const now = renewed(ctx, name, look).finally(() => {
    if (looking.get(name) === one) looking.delete(name)
  })
  const one = { now }
  looking.set(name, one)
  return now
}

async function renewed(ctx: Context, name: string, look: Look) {
  const began = ctx.now() // the row may be as old as this
  const before = forgotten
  const principal = await look()
  cache.delete(name)
  if (principal === undefined || before !== forgotten) return principal
  if (cache.size >= LIMITS.auth_cached) cache.delete(cache.keys().next().value!)
  cache.set(name, { principal, asked_ms: began, isRenewed: false })
  return principal
}

/** The access token of a session: a JWT good for LIMITS.session_minutes. */
export async function signAccessToken(ctx: Context, session_id: string) {
  const expires_s = Math.floor(ctx.now() / 1000) + LIMITS.session_minutes * 60
  const access_token = await signToken(ctx, AUDIENCE, session_id, expires_s)
  return { access_token, access_expires_at: new Date(expires_s * 1000).toISOString() }
}

/** The token a browser keeps of a session: it only names the session, and expires with it. */
export const signBrowserToken = (ctx: Context, session_id: string, expires_ms: number): Promise<string> =>
  signToken(ctx, BROWSER_AUDIENCE, session_id, Math.floor(expires_ms / 1000))

/** The session that a browser's token names, live or not. */
export const browserSessionOf = (ctx: Context, token: string): Promise<string | undefined> =>
  sessionIdOf(ctx, token, BROWSER_AUDIENCE)

async function signToken(ctx: Context, audience: string, session_id: string, expires_s: number) {
  return new SignJWT({})
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setSubject(session_id)
    .setIssuedAt(Math.floor(ctx.now() / 1000))
    .setExpirationTime(expires_s)
    .sign(await derivedKey(ctx.config.master_key, 'session'))
}

async function sessionIdOf(ctx: Context, token: string, audience: string): Promise<string | undefined> {
  try {
    const { payload } = await jwtVerify(token, await derivedKey(ctx.config.master_key, 'session'), {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience,
      requiredClaims: ['sub', 'exp'],
      currentDate: new Date(ctx.now()),
    })
    return payload.sub
  } catch {
    return undefined
  }
}
