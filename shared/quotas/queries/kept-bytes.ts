// Sums the bytes that accounts keep, for accounts with such a quota. Guarantee: starting a run never computes the sum,
// it only reads it.

import { sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'

/** Accounts with a sum older than `olderThanMs` or none, the oldest first. */
export async function findUnmeasured(db: Database, olderThanMs: number, limit: number): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select id from accounts where plan ? 'kept_bytes'
      and coalesce(kept_bytes_at, '-infinity') < now() - make_interval(secs => ${olderThanMs / 1000}::float8)
    order by kept_bytes_at nulls first limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Stores the sum of an account: inputs that retention has not taken, and the code of deployments, each once. */
export async function measureKeptBytes(db: Database, account_id: string): Promise<void> {
  const [inputs] = await db.execute<{ bytes: string }>(sql`
    select coalesce(sum(r.input_bytes), 0) as bytes from projects p join runs r on r.project_id = p.id
    where p.account_id = ${account_id} and r.payloads_purged_at is null`)
  const [code] = await db.execute<{ bytes: string }>(sql`
    select coalesce(sum(octet_length(b.code)), 0) as bytes from bundles b where b.hash in (
      select d.bundle_hash from projects p join deployments d on d.project_id = p.id where p.account_id = ${account_id})`)
  await db.execute(sql`
    update accounts set kept_bytes_at = now(), kept_bytes = ${inputs!.bytes}::bigint + ${code!.bytes}::bigint
    where id = ${account_id}`)
}

/** Adds bytes to an account's sum, so that they count before the next measurement. */
export async function addKeptBytes(db: Database, account_id: string, bytes: number): Promise<void> {
  await db.execute(sql`update accounts set kept_bytes = kept_bytes + ${bytes} where id = ${account_id}`)
}
