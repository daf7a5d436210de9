// Derives keys from the master key, hashes, and makes random words. WebCrypto only, so that it runs on every host.
// Guarantee: each purpose has a key of its own, and knowing one key reveals nothing about another.

import type { FillRandom } from './ids.ts'

export const KEY_PURPOSES = [
  'session',
  'cursor',
  'environment',
  'trigger',
  'source',
  'address',
  'cache',
  'signing',
  'agent',
  'answer',
  'platform',
  'fingerprint',
  'backup',
] as const
export type KeyPurpose = (typeof KEY_PURPOSES)[number]

const encoder = new TextEncoder()
const derived = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

/**
 * 32 bytes for one purpose, by HKDF-SHA-256. Instead of the master key, `master` may be a set of keys from `keySet`,
 * for processes that need not hold the master key.
 * @throws Error if the set has no key for the purpose
 */
export function derivedKey(master: string, purpose: KeyPurpose): Promise<Uint8Array<ArrayBuffer>> {
  const name = `${purpose} ${master}`
  let key = derived.get(name)
  if (key === undefined) {
    key = isKeySet(master) ? keyOfSet(master, purpose) : hkdf(master, purpose)
    derived.set(name, key)
  }
  return key
}

/** The keys for some purposes as one text, `platform=5f…,fingerprint=0a…`. */
export async function keySet(masterKey: string, purposes: readonly KeyPurpose[]): Promise<string> {
  const keys = purposes.map(async purpose => `${purpose}=${toHex(await derivedKey(masterKey, purpose))}`)
  return (await Promise.all(keys)).join(',')
}

/** Whether `master`, a master key or a set of keys, gives a key for the purpose. */
export const holdsKey = (master: string, purpose: KeyPurpose): boolean =>
  !isKeySet(master) || textOfSet(master, purpose) !== undefined

/** Whether the text is a well-formed set of keys, not a master key. */
export const isKeySet = (text: string): boolean => /^([a-z]+=[0-9a-f]{64}(,|$))+$/i.test(text)

function textOfSet(set: string, purpose: KeyPurpose): string | undefined {
  const entry = set.split(',').find(entry => entry.startsWith(`${purpose}=`))
  return entry?.slice(purpose.length + 1)
}

async function keyOfSet(set: string, purpose: KeyPurpose): Promise<Uint8Array<ArrayBuffer>> {
  const text = textOfSet(set, purpose)
  if (text === undefined)
    throw new Error(`this process holds no key for "${purpose}": its ASSAY_KEYS has none`)
  return bytesOf(text)
}

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g)!, pair => Number.parseInt(pair, 16))

async function hkdf(masterKey: string, purpose: KeyPurpose): Promise<Uint8Array<ArrayBuffer>> {
  if (!/^[0-9a-f]{64}$/i.test(masterKey)) throw new Error('master_key must be 32 bytes in hex: 64 hex digits')
  const secret = bytesOf(masterKey)
  const material = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  const info = encoder.encode(`assay ${purpose} 1`)
  const params = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(32), info }
  return new Uint8Array(await crypto.subtle.deriveBits(params, material, 256))
}

/** 32 bytes for one name within a purpose, by HMAC-SHA-256: can be derived again, so need not be stored. */
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

/** Compares in a time that depends on the lengths only. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  return a.reduce((difference, byte, at) => difference | (byte ^ b[at]!), 0) === 0
}

/** Undefined when the text is not base64url, or not the canonical spelling of its bytes. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, character => character.charCodeAt(0))
  return toBase64Url(bytes) === text ? bytes : undefined
}

/** An unguessable word: `bytes` random bytes in base64url. */
export function randomWord(random: FillRandom, bytes: number): string {
  const filled = new Uint8Array(bytes)
  random(filled)
  return toBase64Url(filled)
}
