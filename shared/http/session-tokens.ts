// Signs and reads the tokens of sessions. Guarantee: a token names a session and nothing else, is signed with a key derived from
// the master key, and one of a browser opens no API.

import { jwtVerify, SignJWT } from 'jose'
import type { Context } from '../context.ts'
import { LIMITS } from '../kernel/limits.ts'
import { derivedKey } from '../kernel/secrets.ts'

const ISSUER = 'assay'
const AUDIENCE = 'assay-api'
const BROWSER_AUDIENCE = 'assay-dashboard'
/** The access token of a session: a JWT good for LIMITS.session_minutes. */
export async function signAccessToken(ctx: Context, session_id: string) {
  const expires_s = Math.floor(ctx.now() / 1000) + LIMITS.session_minutes * 60
  const access_token = await signToken(ctx, AUDIENCE, session_id, expires_s)
  return { access_token, access_expires_at: new Date(expires_s * 1000).toISOString() }
}

/** The session that an access token names, live or not. */
export const accessSessionOf = (ctx: Context, token: string): Promise<string | undefined> =>
  sessionIdOf(ctx, token, AUDIENCE)

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
