// Who is looking at the dashboard. Guarantee: the cookie names a session and nothing else, reaches no script and no
// other site, and is worth nothing once the session has ended.

import type { Context } from '../../../shared/context.ts'
import { ApiError } from '../../../shared/domain/errors.ts'
import {
  authenticate,
  browserSessionOf,
  type SessionPrincipal,
  signAccessToken,
  signBrowserToken,
} from '../../../shared/http/auth.ts'

/** The prefix makes browsers refuse a cookie that is not from this very origin by TLS; they count localhost as such. */
const SESSION = '__Host-assay-session'
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

export interface SignedIn {
  principal: SessionPrincipal
  /** What the dashboard calls the API with on the member's behalf. */
  access_token: string
}

/** The member whose cookie came with the request; undefined for everybody else. */
export async function signedIn(ctx: Context, request: Request): Promise<SignedIn | undefined> {
  const cookie = cookieOf(request, SESSION)
  const session_id = cookie === undefined ? undefined : await browserSessionOf(ctx, cookie)
  if (session_id === undefined) return undefined
  const { access_token } = await signAccessToken(ctx, session_id)
  const headers = { authorization: `Bearer ${access_token}` }
  const principal = await authenticate(ctx, new Request(request.url, { headers })).catch(error => {
    if (error instanceof ApiError) return undefined
    throw error // The stores are away: that ends nobody's session.
  })
  return principal?.kind === 'session' ? { principal, access_token } : undefined
}

/** The Set-Cookie header of a new session. */
export async function sessionCookie(ctx: Context, session_id: string, expires_at: string): Promise<string> {
  const expires_ms = Date.parse(expires_at)
  const token = await signBrowserToken(ctx, session_id, expires_ms)
  return setCookie(SESSION, token, Math.floor((expires_ms - ctx.now()) / 1000))
}

/** What takes the cookie away; nothing where there is none, or another site's request would sign one out. */
export const endedCookieFor = (request: Request): Record<string, string> =>
  cookieOf(request, SESSION) === undefined ? {} : { 'set-cookie': endedCookie() }

export const endedCookie = (): string => setCookie(SESSION, '', 0)

export const setCookie = (name: string, value: string, max_age_s: number): string =>
  `${name}=${value}; Max-Age=${max_age_s}; ${ATTRIBUTES}`

export function cookieOf(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(/;\s*/)
  return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}
