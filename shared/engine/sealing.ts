// Secrets that must be used again, kept so that the database alone does not give them away. Guarantee: what was sealed
// for one purpose opens for no other, and only with the master key.

import type { Context } from '../context.ts'
import { derivedKey, fromBase64Url, type KeyPurpose, toBase64Url } from '../domain/secrets.ts'

type SealPurpose = Extract<KeyPurpose, 'environment' | 'trigger' | 'source' | 'answer'>

const IV_BYTES = 12

/** Encrypts a text with AES-256-GCM. */
export async function seal(ctx: Context, purpose: SealPurpose, text: string): Promise<string> {
  const iv = new Uint8Array(IV_BYTES)
  ctx.random(iv)
  const plain = new TextEncoder().encode(text)
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await sealingKey(ctx, purpose), plain)
  return `${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`
}

/** @throws Error when it was sealed for another purpose or under another master key */
export async function unseal(ctx: Context, purpose: SealPurpose, sealed: string): Promise<string> {
  const [iv, text] = sealed.split('.').map(part => fromBase64Url(part)!) as [
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>,
  ]
  try {
    const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, await sealingKey(ctx, purpose), text)
    return new TextDecoder().decode(plain)
  } catch (cause) {
    throw new Error(`This ${purpose} cannot be decrypted: it was sealed under another master key.`, { cause })
  }
}

async function sealingKey(ctx: Context, purpose: SealPurpose): Promise<CryptoKey> {
  const secret = await derivedKey(ctx.config.master_key, purpose)
  return crypto.subtle.importKey('raw', secret, 'AES-GCM', false, ['encrypt', 'decrypt'])
}
