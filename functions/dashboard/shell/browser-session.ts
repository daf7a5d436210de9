// Identifies the member behind a browser's request. Guarantee: the cookie names a session and nothing else, reaches no
// script and no other site, and is invalid once the session has ended.

import type { Context } from '../../../shared/context.ts'
import { authenticate } from '../../../shared/http/auth.ts'
import { basePath } from '../../../shared/http/base-path.ts'
import type { SessionPrincipal } from '../../../shared/http/principal.ts'
import { browserSessionOf, signAccessToken, signBrowserToken } from '../../../shared/http/session-tokens.ts'
import { ApiError } from '../../../shared/kernel/errors.ts'

export const SESSION = 'session'
/** The cookie with the project viewed last; pages of the account show its menu. */
export const LAST_PROJECT = 'project'
type Configured = Pick<Context, 'config'>

export interface SignedIn {
  principal: SessionPrincipal
  /** The token with which the dashboard calls the API on the member's behalf. */
  access_token: string
}

/** The member whose cookie came with the request; undefined for everybody else. */
export async function signedIn(ctx: Context, request: Request): Promise<SignedIn | undefined> {
  const cookie = cookieOf(ctx, request, SESSION)
  const session_id = cookie === undefined ? undefined : await browserSessionOf(ctx, cookie)
  if (session_id === undefined) return undefined
  const { access_token } = await signAccessToken(ctx, session_id)
  const headers = { authorization: `Bearer ${access_token}` }
  const principal = await authenticate(ctx, new Request(request.url, { headers })).catch(error => {
    if (error instanceof ApiError) return undefined
    throw error // A store that is unavailable must not end the session.
  })
  return principal?.kind === 'session' ? { principal, access_token } : undefined
}

/** The Set-Cookie header of a new session. */
export async function sessionCookie(ctx: Context, session_id: string, expires_at: string): Promise<string> {
  const expires_ms = Date.parse(expires_at)
  const token = await signBrowserToken(ctx, session_id, expires_ms)
  return setCookie(ctx, SESSION, token, Math.floor((expires_ms - ctx.now()) / 1000))
}

/**
 * The header that removes the cookie; empty where the request has no cookie, or another site could sign the member out.
 */
export const endedCookieFor = (ctx: Configured, request: Request): Record<string, string> =>
  cookieOf(ctx, request, SESSION) === undefined ? {} : { 'set-cookie': endedCookie(ctx) }

export const endedCookie = (ctx: Configured): string => setCookie(ctx, SESSION, '', 0)

export const setCookie = (ctx: Configured, name: string, value: string, max_age_s: number): string =>
  `${nameOf(ctx, name)}=${value}; Max-Age=${max_age_s}; Path=${pathOf(ctx) || '/'}; Secure; HttpOnly; SameSite=Lax`

export function cookieOf(ctx: Configured, request: Request, name: string): string | undefined {
  const begin = `${nameOf(ctx, name)}=`
  const pairs = (request.headers.get('cookie') ?? '').split(/;\s*/)
  return pairs.find(pair => pair.startsWith(begin))?.slice(begin.length)
}

const pathOf = ({ config }: Configured) => basePath(config.base_url)

/**
 * The prefix makes browsers refuse a cookie that this origin did not set over TLS; they accept localhost too. Below a
 * path of a host it is the weaker `__Secure-`, since `__Host-` requires the whole host as path.
 */
const nameOf = (ctx: Configured, name: string) =>
  `${pathOf(ctx) === '' ? '__Host-' : '__Secure-'}assay-${name}`
