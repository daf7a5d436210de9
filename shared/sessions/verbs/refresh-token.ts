// Makes and verifies refresh tokens. Guarantee: a token that this installation made names its session, even if it was
// used long ago, and nobody else can make one.

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Context } from '../../context.ts'
import { derivedKey, randomWord, sameBytes, toBase64Url } from '../../kernel/secrets.ts'

const RANDOM_BYTES = 32
const TOKEN = /^rt_([0-9a-f-]{36})\.([\w-]+)\.([\w-]+)$/
const encoder = new TextEncoder()

/** `rt_<session>.<random>.<mac>` */
export async function refreshToken(ctx: Context, session_id: string): Promise<string> {
  const said = `rt_${session_id}.${randomWord(ctx.random, RANDOM_BYTES)}`
  return `${said}.${toBase64Url(await macOf(ctx, said))}`
}

/** The session a token was made for; undefined if it is not ours, or older than tokens that name their session. */
export async function sessionOfRefresh(ctx: Context, token: string): Promise<string | undefined> {
  const [, session_id] = TOKEN.exec(token) ?? []
  if (session_id === undefined) return undefined
  const said = token.slice(0, token.lastIndexOf('.'))
  const mac = encoder.encode(toBase64Url(await macOf(ctx, said)))
  return sameBytes(mac, encoder.encode(token.slice(said.length + 1))) ? session_id : undefined
}

const macOf = async ({ config }: Context, said: string) =>
  hmac(sha256, await derivedKey(config.master_key, 'session'), encoder.encode(said))
