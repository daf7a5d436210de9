// Encrypts secrets that must be used again, so that the database alone does not reveal them. Guarantee: a secret opens only
// with the master key, for the purpose and in the row of the project that it was sealed for: whoever moves it elsewhere
// without the key has moved nothing.

import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Context } from '../../context.ts'
import { derivedKey, fromBase64Url, type KeyPurpose, toBase64Url } from '../../kernel/secrets.ts'

type SealPurpose = Extract<KeyPurpose, 'environment' | 'trigger' | 'source' | 'answer' | 'address' | 'cache'>

// Not WebCrypto's, which makes each text a job of the thread pool: 0.9 ms of the time from submission to start.
const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16 // at the end of the ciphertext, as WebCrypto puts it

/** Where a secret belongs. */
export interface SealedIn {
  project_id: string
  /** The row, and what else of it has to stay as it was: where the secret is sent, or the code that gets it. */
  row: readonly (string | null)[]
}

/** The additional data of the cipher. JSON, so that no two places are one text. */
const placeOf = (purpose: SealPurpose, of: SealedIn | null) =>
  Buffer.from(JSON.stringify(['assay', purpose, of === null ? null : [of.project_id, ...of.row]]))

/** Encrypts a text with AES-256-GCM. `of` is null for a text that names its own place and is in no row. */
export async function seal(
  ctx: Pick<Context, 'config' | 'random'>,
  purpose: SealPurpose,
  of: SealedIn | null,
  text: string,
): Promise<string> {
  const iv = new Uint8Array(IV_BYTES)
  ctx.random(iv)
  const cipher = createCipheriv(CIPHER, await derivedKey(ctx.config.master_key, purpose), iv)
  cipher.setAAD(placeOf(purpose, of))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${toBase64Url(iv)}.${sealed.toString('base64url')}`
}

/** @throws Error if it was sealed for another purpose or place, or under another master key */
export async function unseal(
  ctx: Pick<Context, 'config'>,
  purpose: SealPurpose,
  of: SealedIn | null,
  sealed: string,
): Promise<string> {
  const [iv, text] = sealed.split('.').map(part => fromBase64Url(part)!) as [Uint8Array, Uint8Array]
  const key = await derivedKey(ctx.config.master_key, purpose)
  try {
    const end = text.length - TAG_BYTES
    const cipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
    cipher.setAAD(placeOf(purpose, of))
    cipher.setAuthTag(text.subarray(end))
    return Buffer.concat([cipher.update(text.subarray(0, end)), cipher.final()]).toString('utf8')
  } catch (cause) {
    throw new Error(
      `This ${purpose} cannot be decrypted: it was sealed under another master key, or for another row.`,
      { cause },
    )
  }
}

/** A deployment's environment belongs to its code. */
interface Deployed {
  id: string
  bundle_hash: string | null
}
const ofDeployment = (project_id: string, { id, bundle_hash }: Deployed): SealedIn => ({
  project_id,
  row: [id, bundle_hash],
})

/** The encrypted environment of a deployment; null when it is empty. */
export async function sealEnv(
  ctx: Context,
  project_id: string,
  deployment: Deployed,
  env: Record<string, string>,
): Promise<string | null> {
  if (Object.keys(env).length === 0) return null
  return seal(ctx, 'environment', ofDeployment(project_id, deployment), JSON.stringify(env))
}

/** @throws Error if the environment was sealed for another deployment, or other code, than this */
export async function openEnv(
  ctx: Context,
  project_id: string,
  deployment: Deployed & { env_sealed: string | null },
): Promise<Record<string, string>> {
  const { env_sealed } = deployment
  if (env_sealed === null) return {}
  return JSON.parse(await unseal(ctx, 'environment', ofDeployment(project_id, deployment), env_sealed))
}
