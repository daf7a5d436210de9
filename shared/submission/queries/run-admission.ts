// SQL that says how many more runs may be open. Guarantee: everything that starts runs counts the same way and refuses
// as `rules/run-admission.ts` says. In the fragments a project is `p` and its account `c`.

import { isDistributed } from '../../cluster/queries/distributed.ts'
import type { Sql } from '../../context.ts'
import { isUuid } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'

/**
 * A join that gives `open.bound`, `open.n` (the project's open runs, counted no further than the bound) and the rooms
 * of a `RunRoom`. The account's open runs are counted only if its plan has a bound: `{"open_runs": null}` has none.
 */
const room = (project: string, open_of_account: string) => `
  lateral (select coalesce((p.settings->>'open_runs')::int, ${LIMITS.project_open_runs}) as bound) b,
  lateral (select b.bound, count(*)::int as n from (
    select from runs r where r.project_id = ${project} and r.finished_at is null limit b.bound) counted) open,
  lateral (select open.bound - open.n as project_room, (c.plan->>'kept_bytes')::float8 - c.kept_bytes as bytes_room,
    (c.plan->>'open_runs')::int - case when c.plan->>'open_runs' is not null then (${open_of_account}) end as account_room) room`

const ROOM = room(
  'p.id',
  `select count(*)::int from projects q join runs r on r.project_id = q.id
      where q.account_id = c.id and r.finished_at is null`,
)

/**
 * The join for one project, or null for all. Citus refuses a statement about one project that counts rows of others, so
 * there a first one counts the account's open runs.
 */
export async function roomOf(sql: Sql, project: string | null): Promise<string> {
  if (project === null || !isUuid(project) || !(await isDistributed(sql))) return ROOM
  const [account] = await sql<{ projects: string[] }[]>`
    select array(select q.id from projects q where q.account_id = c.id) as projects
    from projects p join accounts c on c.id = p.account_id where p.id = ${project} and c.plan->>'open_runs' is not null`
  const open = account
    ? await sql<{ n: number }[]>`
        select count(*)::int as n from runs
        where project_id = any(${account.projects}) and finished_at is null`
    : []
  return room(`'${project}'::uuid`, String(open[0]?.n ?? 0))
}

/** SQL for a `RunRejection`, or null if this many more runs may be started. */
export const refusal = (sql: Sql, runs: number) => sql`
  case when c.status = 'suspended' then 'account_suspended'
    when room.account_room < ${runs}::int then 'plan_limit'
    when room.bytes_room <= 0 then 'quota_exceeded'
    when room.project_room < ${runs}::int then 'too_many_open_runs' end`
