// How many runs more may be open, as SQL. Guarantee: of whoever starts runs all count the same, and refuse as
// `rules/run-admission.ts` says. A project is `p` and its account `c`.

import { type Asked, isDistributed } from '../../cluster/queries/distributed.ts'
import type { Sql } from '../../context.ts'
import { isUuid } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'

/**
 * To be joined: `open.bound`, `open.n`, runs of the project that have not ended, counted no further than that, and the
 * rooms of a `RunRoom`. The account's own are counted only where its plan has a bound: `{"open_runs": null}` has none.
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

/** Of one project, or of all; on a cluster of one: the runs of its account, which lie anywhere, are counted before. */
export async function roomOf(sql: Sql, project: Asked): Promise<string> {
  if (project === null || !isUuid(project) || !(await isDistributed(sql))) return ROOM
  const [account] = await sql<{ projects: string[] }[]>`
    select array(select q.id from projects q where q.account_id = c.id) as projects
    from projects p join accounts c on c.id = p.account_id where p.id = ${project} and c.plan->>'open_runs' is not null`
  const open = account
    ? await sql<{ n: number }[]>`
        select count(*)::int as n from runs where project_id = any(${account.projects}) and finished_at is null`
    : []
  return room(`'${project}'::uuid`, String(open[0]?.n ?? 0))
}

/** A `RunRejection`, or null where so many runs more may be started. */
export const refusal = (sql: Sql, runs: number) => sql`
  case when c.status = 'suspended' then 'account_suspended'
    when room.account_room < ${runs}::int then 'plan_limit'
    when room.bytes_room <= 0 then 'quota_exceeded'
    when room.project_room < ${runs}::int then 'too_many_open_runs' end`
