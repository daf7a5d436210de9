// Accounts from outside of them, for whoever operates the installation. Guarantee: a page reads no more than its
// accounts' projects, owners and open runs, whatever has ended in them.

import { sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type AccountPlan, accounts } from '../tables/accounts.ts'
import type { AccountStatus } from '../vocabulary.ts'
import type { OperatedAccountRow } from '../wire/accounts.ts'

/** Oldest first; of the one account where an id is told. */
export async function listAccounts(
  db: Database,
  { id, after_id, limit }: { id?: string; after_id?: string | undefined; limit: number },
): Promise<OperatedAccountRow[]> {
  const rows = await db.execute<Omit<OperatedAccountRow, 'created_at'> & { created_at: string | Date }>(sql`
    select c.id, c.name, c.status, c.plan, c.created_at,
      array(select m.email from members m where m.account_id = c.id and m.role = 'owner'
        order by m.id limit ${LIMITS.owners_shown}) as owners,
      (select count(*)::int from members m where m.account_id = c.id) as members, used.*
    from accounts c cross join lateral (
      select count(*)::int as projects, coalesce(sum(u.spent_micro), 0)::float8 as spent_micro,
        coalesce(sum((select count(*) from runs r where r.project_id = p.id and r.finished_at is null)), 0)::int
          as open_runs
      from projects p join project_usage u on u.project_id = p.id where p.account_id = c.id) used
    where ${id === undefined ? sql`true` : sql`c.id = ${id}`}
      and ${after_id === undefined ? sql`true` : sql`c.id > ${after_id}`}
    order by c.id limit ${limit}`)
  return rows.map(row => ({ ...row, created_at: new Date(row.created_at) }))
}

export async function insertAccount(db: Database, account: typeof accounts.$inferInsert): Promise<void> {
  await db.insert(accounts).values(account)
}

/** False where there is no such account. */
export async function updateAccount(
  db: Database,
  id: string,
  changes: { status?: AccountStatus; plan?: AccountPlan },
): Promise<boolean> {
  const rows = await db.execute(sql`
    update accounts set status = coalesce(${changes.status ?? null}::account_status, status),
      plan = coalesce(${changes.plan === undefined ? null : JSON.stringify(changes.plan)}::jsonb, plan)
    where id = ${id} returning id`)
  return rows.length === 1
}
