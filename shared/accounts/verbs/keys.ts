// Mints and revokes project keys. Guarantee: the plaintext exists only in the answer; the database holds its SHA-256.

import type { Context, Database } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { randomWord, sha256 } from '../../kernel/secrets.ts'
import * as store from '../queries/api-keys.ts'
import { type Revocation, type Revoked, revokeMade } from '../queries/made.ts'
import type { KeyRole } from '../vocabulary.ts'
import type { ApiKeyRow } from '../wire/account.ts'

const KEY_BYTES = 32
const PREFIX_CHARACTERS = 11 // pk_ and 48 of the key's 256 bits

export interface KeyOptions {
  db?: Database
  /** `operator` unless given. */
  role?: KeyRole | undefined
  /** Never unless given. */
  expires_at?: Date | null | undefined
}

export async function mintKey(
  ctx: Context,
  project_id: string,
  name: string,
  { db = ctx.db, role = 'operator', expires_at = null }: KeyOptions = {},
): Promise<{ row: ApiKeyRow; key: string }> {
  const key = `pk_${randomWord(ctx.random, KEY_BYTES)}`
  const row = await store.insertKey(db, {
    id: ctx.newId(),
    project_id,
    name,
    prefix: key.slice(0, PREFIX_CHARACTERS),
    hash: await sha256(key),
    role,
    expires_at,
  })
  return { row, key }
}

/**
 * In a transaction that revokes alone. Returns the key, and how much of what was made with it was revoked as well.
 * @throws ApiError `not_found` when the project has no such live key
 */
export async function revokeKey(
  ctx: Context,
  { account_id, project_id, id }: { account_id: string; project_id: string; id: string },
  revocation: Revocation,
): Promise<{ row: ApiKeyRow; revoked: Revoked }> {
  const row = await store.revokeKey(ctx.db, project_id, id)
  if (row === undefined) throw new ApiError('not_found', 'There is no such API key in this account.')
  return { row, revoked: await revokeMade(ctx.db, { account_id, id }, revocation) }
}
