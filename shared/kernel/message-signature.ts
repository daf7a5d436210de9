// Signs messages to the outside with one secret in two formats. Receivers check either `X-Service-Signature`, or the
// three headers of Standard Webhooks with any library that supports them.

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { toBase64, toHex } from './secrets.ts'

/** A secret in the form that receivers get. */
export const secretText = (secret: Uint8Array): string => `whsec_${toBase64(secret)}`

export interface Signed {
  id: string
  /** Seconds since 1970. */
  at_s: number
  body: string
}

/**
 * The headers that prove who sent a message. Each secret gives a signature: a receiver needs to know one of them.
 *
 * @example
 * await signatureHeaders([secret], { id: '0198…', at_s: 1767225600, body: '{}' })
 * // { 'x-service-signature': 't=1767225600,v1=5f…', 'webhook-id': '0198…', 'webhook-timestamp': '1767225600',
 * //   'webhook-signature': 'v1,K5…=' }
 */
export async function signatureHeaders(
  secrets: readonly Uint8Array<ArrayBuffer>[],
  { id, at_s, body }: Signed,
): Promise<Record<string, string>> {
  const keys = await Promise.all(secrets.map(signingKey))
  const own = await Promise.all(keys.map(async key => `v1=${toHex(await mac(key, `${at_s}.${body}`))}`))
  const standard = await standardHeaders(keys, { id, at_s, body })
  return { 'x-service-signature': [`t=${at_s}`, ...own].join(','), ...standard }
}

/** The Standard Webhooks headers only. */
export async function standardHeaders(
  keys: readonly CryptoKey[],
  { id, at_s, body }: Signed,
): Promise<Record<string, string>> {
  const macs = await Promise.all(keys.map(key => mac(key, `${id}.${at_s}.${body}`)))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at_s),
    'webhook-signature': macs.map(one => `v1,${toBase64(one)}`).join(' '),
  }
}

/** Signs a body that is too long to be held in memory, piece by piece as it is sent. */
export function signatureInParts(
  secrets: readonly Uint8Array<ArrayBuffer>[],
  { id, at_s }: Omit<Signed, 'body'>,
): { update(bytes: Uint8Array): void; headers(): Record<string, string> } {
  const started = (secret: Uint8Array, text: string) =>
    hmac.create(sha256, secret).update(new TextEncoder().encode(text))
  const macs = secrets.map(secret => ({
    own: started(secret, `${at_s}.`),
    standard: started(secret, `${id}.${at_s}.`),
  }))
  return {
    update(bytes) {
      for (const { own, standard } of macs) {
        own.update(bytes)
        standard.update(bytes)
      }
    },
    headers: () => ({
      'x-service-signature': [`t=${at_s}`, ...macs.map(({ own }) => `v1=${toHex(own.digest())}`)].join(','),
      'webhook-id': id,
      'webhook-timestamp': String(at_s),
      'webhook-signature': macs.map(({ standard }) => `v1,${toBase64(standard.digest())}`).join(' '),
    }),
  }
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' }

export const signingKey = (secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', secret, HMAC, false, ['sign'])

async function mac(key: CryptoKey, text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)))
}
