// How many runs more may be open, as SQL. Guarantee: of whoever starts runs all count the same, and refuse as
// `rules/run-admission.ts` says. A project is `p` and its account `c`.

import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'

/**
 * To be joined: `open.bound`, `open.n`, runs of the project that have not ended, counted no further than that, and the
 * rooms of a `RunRoom`. The account's own are counted only where its plan has a bound: `{"open_runs": null}` has none.
 */
export const ROOM = `
  lateral (select coalesce((p.settings->>'open_runs')::int, ${LIMITS.project_open_runs}) as bound) b,
  lateral (select b.bound, count(*)::int as n from (
    select from runs r where r.project_id = p.id and r.finished_at is null limit b.bound) counted) open,
  lateral (select open.bound - open.n as project_room, (c.plan->>'kept_bytes')::float8 - c.kept_bytes as bytes_room,
    (c.plan->>'open_runs')::int - case when c.plan->>'open_runs' is not null then (
      select count(*)::int from projects q join runs r on r.project_id = q.id
      where q.account_id = c.id and r.finished_at is null) end as account_room) room`

/** A `RunRejection`, or null where so many runs more may be started. */
export const refusal = (sql: Sql, runs: number) => sql`
  case when c.status = 'suspended' then 'account_suspended'
    when room.account_room < ${runs}::int then 'plan_limit'
    when room.bytes_room <= 0 then 'quota_exceeded'
    when room.project_room < ${runs}::int then 'too_many_open_runs' end`
