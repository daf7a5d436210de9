// Keys derived from the master key, hashes and random words. WebCrypto only, so that it runs on every host.
// Guarantee: each purpose has a key of its own, and knowing one tells nothing about another.

import type { FillRandom } from './ids.ts'

export type KeyPurpose =
  | 'session'
  | 'cursor'
  | 'environment'
  | 'trigger'
  | 'source'
  | 'signing'
  | 'agent'
  | 'platform'
  | 'fingerprint'

const encoder = new TextEncoder()
const derived = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

/** 32 bytes for one purpose, by HKDF-SHA-256. */
export function derivedKey(masterKey: string, purpose: KeyPurpose): Promise<Uint8Array<ArrayBuffer>> {
  const name = `${purpose} ${masterKey}`
  let key = derived.get(name)
  if (key === undefined) {
    key = hkdf(masterKey, purpose)
    derived.set(name, key)
  }
  return key
}

async function hkdf(masterKey: string, purpose: KeyPurpose): Promise<Uint8Array<ArrayBuffer>> {
  if (!/^[0-9a-f]{64}$/i.test(masterKey)) throw new Error('master_key must be 32 bytes in hex: 64 hex digits')
  const secret = Uint8Array.from(masterKey.match(/../g)!, pair => Number.parseInt(pair, 16))
  const material = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  const info = encoder.encode(`assay ${purpose} 1`)
  const params = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(32), info }
  return new Uint8Array(await crypto.subtle.deriveBits(params, material, 256))
}

/** 32 bytes for one name within a purpose: what need not be stored, since it can be made again. */
export async function namedSecret(
  masterKey: string,
  purpose: KeyPurpose,
  name: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', await derivedKey(masterKey, purpose), algorithm, false, [
    'sign',
  ])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(name)))
}

export async function sha256(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Compares in a time that depends on the lengths alone. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  return a.reduce((difference, byte, at) => difference | (byte ^ b[at]!), 0) === 0
}

/** Undefined when the text is not base64url, or not the one spelling of its bytes. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, character => character.charCodeAt(0))
  return toBase64Url(bytes) === text ? bytes : undefined
}

/** A word nobody can guess: `bytes` random bytes in base64url. */
export function randomWord(random: FillRandom, bytes: number): string {
  const filled = new Uint8Array(bytes)
  random(filled)
  return toBase64Url(filled)
}
