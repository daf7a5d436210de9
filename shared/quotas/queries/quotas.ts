// Counts how much of its quotas an account uses. Guarantee: only this file says what counts towards a quota, for the
// check, the list and the page; deleted rows no longer count.

import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { Counted, SetQuotas } from '../rules/quotas.ts'

/** The query that counts an account's use of each quota. */
const USED: Record<Counted, (account_id: string) => SQL> = {
  concurrency: account_id => sql`
    select coalesce(sum(coalesce((p.settings->>'concurrency')::int, ${sql.raw(String(LIMITS.project_concurrency))})), 0)
    from projects p where p.account_id = ${account_id}`,
  open_runs: account_id => sql`select count(*) from projects p join runs r on r.project_id = p.id
    where p.account_id = ${account_id} and r.finished_at is null`,
  projects: account_id => sql`select count(*) from projects p where p.account_id = ${account_id}`,
  agents: account_id => sql`select count(*) from projects p join agents a on a.project_id = p.id
    where p.account_id = ${account_id} and a.deleted_at is null`,
  schedules: account_id => sql`select count(*) from projects p join agents a on a.project_id = p.id
    join schedules s on s.project_id = a.project_id and s.agent_id = a.id
    where p.account_id = ${account_id} and a.deleted_at is null`,
  triggers: account_id => sql`select count(*) from projects p join agents a on a.project_id = p.id
    join triggers t on t.project_id = a.project_id and t.agent_id = a.id
    where p.account_id = ${account_id} and a.deleted_at is null`,
  keys: account_id => sql`select count(*) from projects p join api_keys k on k.project_id = p.id
    where p.account_id = ${account_id} and k.revoked_at is null and coalesce(k.expires_at, 'infinity') > now()`,
  bundles: account_id => sql`select count(*) from projects p join agents a on a.project_id = p.id
    join deployments d on d.project_id = a.project_id and d.agent_id = a.id
    where p.account_id = ${account_id} and a.deleted_at is null and d.kind = 'bundle'`,
  kept_bytes: account_id => sql`select kept_bytes from accounts where id = ${account_id}`,
  members: account_id => sql`select count(*) from members m where m.account_id = ${account_id}`,
}

/** Names an account by its id, or by one of its projects. */
export type Whose = { account_id: string } | { project_id: string }

export interface Quotas {
  account_id: string
  plan: SetQuotas
}

/** Undefined if the account, or the project, is gone. */
export async function findQuotas(db: Database, whose: Whose): Promise<Quotas | undefined> {
  const [row] = await db.execute<Quotas & Record<string, unknown>>(
    'account_id' in whose
      ? sql`select id as account_id, plan from accounts where id = ${whose.account_id}`
      : sql`select c.id as account_id, c.plan from projects p join accounts c on c.id = p.account_id
          where p.id = ${whose.project_id}`,
  )
  return row
}

/**
 * Makes other changes to the account's quotas or their use wait until this transaction ends; returns what is set. Not by
 * the account's row: a cluster would lock it on all nodes.
 */
export async function lockQuotas(db: Database, account_id: string): Promise<SetQuotas | undefined> {
  await db.execute(
    sql`select pg_advisory_xact_lock(hashtextextended('assay quotas ' || ${account_id}::text, 0))`,
  )
  const [row] = await db.execute<{ plan: SetQuotas }>(sql`select plan from accounts where id = ${account_id}`)
  return row?.plan
}

export async function countUsed<N extends Counted>(
  db: Database,
  account_id: string,
  names: readonly N[],
): Promise<Record<N, number>> {
  const counts = names.map(name => sql`(${USED[name](account_id)})::float8 as ${sql.raw(name)}`)
  const [row] = await db.execute<Record<N, number>>(sql`select ${sql.join(counts, sql`, `)}`)
  return row!
}
