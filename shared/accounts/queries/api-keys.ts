// Project keys. Only the hash of a key is stored; the plaintext is returned once, when the key is made.

import { and, desc, eq, isNull, lt, sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { accounts } from '../tables/accounts.ts'
import { apiKeys, projects } from '../tables/projects.ts'
import type { ApiKeyRow } from '../wire/account.ts'
import { changeCaller } from './caller-locks.ts'

const columns = {
  id: apiKeys.id,
  project_id: apiKeys.project_id,
  name: apiKeys.name,
  prefix: apiKeys.prefix,
  created_at: apiKeys.created_at,
  last_used_at: apiKeys.last_used_at,
  revoked_at: apiKeys.revoked_at,
  role: apiKeys.role,
  expires_at: apiKeys.expires_at,
}

/** The unrevoked key with this hash or id, expired or not, its project and account; a deleted project's keys are dead. */
export async function liveKey(db: Database, by: { hash: Uint8Array } | { id: string }) {
  const [row] = await db
    .select({
      id: apiKeys.id,
      prefix: apiKeys.prefix,
      name: apiKeys.name,
      project_id: apiKeys.project_id,
      account_id: accounts.id,
      account_status: accounts.status,
      plan: accounts.plan,
      settings: projects.settings,
      role: apiKeys.role,
      expires_at: apiKeys.expires_at,
      last_used_at: apiKeys.last_used_at,
    })
    .from(apiKeys)
    .innerJoin(projects, eq(projects.id, apiKeys.project_id))
    .innerJoin(accounts, eq(accounts.id, projects.account_id))
    .where(and('hash' in by ? eq(apiKeys.hash, by.hash) : eq(apiKeys.id, by.id), isNull(apiKeys.revoked_at)))
    .prepare('hash' in by ? 'live_key' : 'live_key_of_id')
    .execute()
  return row
}

/** Notes a key's use, at most once a minute. */
export async function touchKey(db: Database, id: string): Promise<void> {
  await db
    .update(apiKeys)
    .set({ last_used_at: sql`now()` })
    .where(
      and(
        eq(apiKeys.id, id),
        sql`coalesce(${apiKeys.last_used_at}, '-infinity') < now() - interval '1 minute'`,
      ),
    )
    .prepare('touch_key')
    .execute()
}

/** The next of a project's unrevoked keys, newest first. */
export function nextKeys(
  db: Database,
  project_id: string,
  before: string | undefined,
  limit: number,
): Promise<ApiKeyRow[]> {
  const isBefore = before === undefined ? undefined : lt(apiKeys.id, before)
  return db
    .select(columns)
    .from(apiKeys)
    .where(and(eq(apiKeys.project_id, project_id), isNull(apiKeys.revoked_at), isBefore))
    .orderBy(desc(apiKeys.id))
    .limit(limit)
}

/** Yields a project's unrevoked keys in chunks, newest first. `read` runs the query of each chunk. */
export async function* keysInChunks(
  project_id: string,
  read: (next: (db: Database) => Promise<ApiKeyRow[]>) => Promise<ApiKeyRow[]>,
): AsyncGenerator<ApiKeyRow[]> {
  let before: string | undefined
  for (;;) {
    const rows = await read(db => nextKeys(db, project_id, before, LIMITS.keys_chunk))
    if (rows.length > 0) yield rows
    if (rows.length < LIMITS.keys_chunk) return
    before = rows.at(-1)!.id
  }
}

export async function insertKey(db: Database, key: typeof apiKeys.$inferInsert): Promise<ApiKeyRow> {
  const [row] = await db.insert(apiKeys).values(key).returning(columns)
  return row!
}

/** The key as revoked; undefined when the project has no such live key. */
export async function revokeKey(
  db: Database,
  project_id: string,
  id: string,
): Promise<ApiKeyRow | undefined> {
  const isIts = and(eq(apiKeys.id, id), eq(apiKeys.project_id, project_id), isNull(apiKeys.revoked_at))
  const [row] = await changeCaller(db, id, db =>
    db.update(apiKeys).set({ revoked_at: sql`now()` }).where(isIts).returning(columns),
  )
  return row
}
