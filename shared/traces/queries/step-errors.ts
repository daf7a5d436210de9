// Counts steps that did not work. Guarantee: exact, at a cost that grows with the hours and kinds of failures and not
// with the steps: counts of whole hours are stored, and only the rest of the first and the last hour is read by step.

import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '../../context.ts'
import type { Outcome } from '../../items/vocabulary.ts'

export interface ErrorCategory {
  outcome: Outcome
  error_code: string | null
  tool_name: string | null
  outcome_reason: string | null
  steps: number
  last_at: Date
}

export interface ErrorRange {
  project_ids: readonly string[]
  /** RFC 3339; from is inclusive, to exclusive. */
  from?: string | undefined
  to?: string | undefined
  limit: number
}

/** The tool of a step `x` that is a tool call or its result. */
export const toolName = (sql: Sql) => sql`case when x.kind in ('tool_call', 'tool_result') then x.name end`

/** Counts by outcome, error code, tool and reason, the most frequent first. `total_steps` is of all categories. */
export async function countErrorCategories(sql: Sql, { project_ids, from, to, limit }: ErrorRange) {
  const since = sql`${from ?? null}::text::timestamptz`
  const till = sql`${to ?? null}::text::timestamptz`
  const firstHour = sql`(hour_of(${since} - interval '1 microsecond') + interval '1 hour')`
  const rows = await sql<(ErrorCategory & { total_steps: number })[]>`
    select outcome, error_code, tool_name, outcome_reason, sum(steps)::bigint as steps, max(last_at) as last_at,
      sum(sum(steps)) over ()::bigint as total_steps
    from (
      select outcome, error_code, tool_name, outcome_reason, steps, last_at from project_step_errors
      where project_id = any(${[...project_ids]}::uuid[])
        ${from === undefined ? sql`` : sql`and hour >= ${since}`}
        ${to === undefined ? sql`` : sql`and hour <= ${till} - interval '1 hour'`}
      ${from === undefined ? sql`` : sql`union all ${stepsBetween(sql, project_ids, since, sql`least(${firstHour}, ${till})`)}`}
      ${to === undefined ? sql`` : sql`union all ${stepsBetween(sql, project_ids, sql`greatest(hour_of(${till}), ${firstHour})`, till)}`}
    ) counted
    group by 1, 2, 3, 4 order by steps desc, 2, 3, 4 limit ${limit}`
  return {
    total_steps: rows[0]?.total_steps ?? 0,
    categories: rows.map(({ total_steps: _, ...category }) => category),
  }
}

type Fragment = PendingQuery<Row[]>

/** `least` and `greatest` ignore null, which is a `from` or `to` that the caller did not name. */
const stepsBetween = (sql: Sql, projectIds: readonly string[], since: Fragment, till: Fragment) => sql`
  select x.outcome, x.error_code, ${toolName(sql)} as tool_name, x.outcome_reason, 1 as steps, x.started_at as last_at
  from step_index x join runs r on r.project_id = x.project_id and r.id = x.run_id
  where x.project_id = any(${[...projectIds]}::uuid[]) and x.outcome <> 'ok' and r.steps_purged_at is null
    and x.started_at >= ${since} and x.started_at < ${till}`
