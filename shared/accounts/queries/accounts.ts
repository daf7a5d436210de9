// Reads and changes accounts for the installation's operator. Guarantee: a page reads only its accounts' projects,
// owners and open runs, however much has ended in them.

import { sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type AccountPlan, accounts } from '../tables/accounts.ts'
import type { AccountStatus } from '../vocabulary.ts'
import type { OperatedAccountRow } from '../wire/accounts.ts'

/** Oldest first; only the account with `id`, if given. */
export async function listAccounts(
  db: Database,
  { id, after_id, limit }: { id?: string; after_id?: string | undefined; limit: number },
): Promise<OperatedAccountRow[]> {
  const rows = await db.execute<Listed>(sql`
    select c.id, c.name, c.status, c.plan, c.created_at,
      array(select m.email from members m where m.account_id = c.id and m.role = 'owner'
        order by m.id limit ${LIMITS.owners_shown}) as owners,
      (select count(*)::int from members m where m.account_id = c.id) as members,
      array(select p.id from projects p where p.account_id = c.id) as project_ids
    from accounts c
    where ${id === undefined ? sql`true` : sql`c.id = ${id}`}
      and ${after_id === undefined ? sql`true` : sql`c.id > ${after_id}`}
    order by c.id limit ${limit}`)
  const used = await readUsed(db, rows)
  return rows.map(({ project_ids, ...row }) => {
    const own = project_ids.flatMap(project => used.get(project) ?? [])
    const sum = (of: (one: Used) => number) => own.reduce((total, one) => total + of(one), 0)
    return {
      ...row,
      created_at: new Date(row.created_at),
      projects: project_ids.length,
      spent_micro: sum(one => one.spent_micro),
      open_runs: sum(one => one.open_runs),
    }
  })
}

type Listed = Omit<OperatedAccountRow, 'created_at' | keyof Used | 'projects'> & {
  created_at: string | Date
  project_ids: string[]
}

type Used = Pick<OperatedAccountRow, 'spent_micro' | 'open_runs'>

/** By project id. Read apart from the accounts: on a cluster the projects' rows are on other nodes. */
async function readUsed(db: Database, rows: readonly Listed[]): Promise<Map<string, Used>> {
  const ids = rows.flatMap(row => row.project_ids)
  const found = await db.execute<Used & { project_id: string }>(sql`
    select u.project_id, u.spent_micro::float8 as spent_micro,
      (select count(*)::int from runs r where r.project_id = u.project_id and r.finished_at is null) as open_runs
    from project_usage u where u.project_id = any(${`{${ids}}`}::uuid[])`)
  return new Map(found.map(one => [one.project_id, one]))
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
