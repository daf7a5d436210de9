// Counts what a project did lately and what waits in it. Guarantee: each figure reads a bounded part of an index,
// however many runs and failures there are.

import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '../../context.ts'
import { isFirstRun } from '../../items/tables/runs.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { columnsOf } from '../../kernel/packed-columns.ts'
import { occurrences } from '../../schedules/tables/schedules.ts'
import type { OccurrenceRow } from '../../schedules/wire/schedules.ts'
import type { DayRow } from '../wire/activity.ts'

export interface SummedDay extends DayRow {
  first_at: Date
  /** Runs that have not ended. */
  open: number
  /** All of its runs, those that replay items included. */
  summed: number
}

/** The most that the time in a run's id and its created_at differ by. */
const LATE_MS = 3_600_000

const ofFirst = (sql: Sql, figure: string) =>
  sql`coalesce(sum(${sql.unsafe(figure)}) filter (where is_first), 0)::bigint`

/**
 * Runs by the UTC day of their submission, oldest first; a day without a run has no row. What replays made of items is
 * counted apart, and their cost with the rest.
 */
export async function sumDays(sql: Sql, project_id: string, since_ms: number) {
  return sql<SummedDay[]>`
    select day::text, first_at, open, summed, runs, items, ok, degraded, failed, over_budget, cancelled, replayed,
      replayed_ok, cost_micro, unpriced_items
    from (
      select (created_at at time zone 'UTC')::date as day, min(created_at) as first_at,
        count(*) filter (where finished_at is null)::int as open, count(*)::int as summed,
        count(*) filter (where is_first)::int as runs, ${ofFirst(sql, 'total_items')} as items,
        ${ofFirst(sql, 'ok')} as ok, ${ofFirst(sql, 'degraded')} as degraded,
        ${ofFirst(sql, 'failed + budget_exceeded')} as failed, ${ofFirst(sql, 'budget_exceeded')} as over_budget,
        ${ofFirst(sql, 'cancelled')} as cancelled,
        coalesce(sum(total_items) filter (where not is_first), 0)::bigint as replayed,
        coalesce(sum(ok) filter (where not is_first), 0)::bigint as replayed_ok,
        sum(cost_micro)::bigint as cost_micro, sum(unpriced_items)::bigint as unpriced_items
      from (
        select *, ${sql.unsafe(isFirstRun('runs'))} as is_first from runs where project_id = ${project_id} and id >= ${firstIdAt(since_ms - LATE_MS)}
          and created_at >= ${new Date(since_ms)}
        order by id desc limit ${LIMITS.activity_runs}
      ) latest group by 1
    ) summed order by day`
}

export interface Waiting {
  dlq: number
  quarantine: number
  /** Deliveries that were given up, and occurrences that started nothing, since the given time. */
  given_up: number
  unfired: number
}

const UNFIRED = `outcome in ('missed', 'error', 'skipped')`

export async function countWaiting(sql: Sql, project_id: string, since: Date): Promise<Waiting> {
  const bounded = (rows: PendingQuery<Row[]>) =>
    sql`(select count(*)::int from (${rows} limit ${LIMITS.activity_counted}) as found)`
  const inLane = (lane: string) => sql`
    select from triage where project_id = ${project_id} and lane = ${lane} and disposition is null`
  const [row] = await sql<Waiting[]>`
    select ${bounded(inLane('dlq'))} as dlq, ${bounded(inLane('quarantine'))} as quarantine,
      ${bounded(sql`
        select from deliveries where project_id = ${project_id} and created_at >= ${since}
          and due_at is null and delivered_at is null`)} as given_up,
      ${bounded(sql`
        select from occurrences where project_id = ${project_id} and scheduled_for >= ${since}
          and ${sql.unsafe(UNFIRED)}`)} as unfired`
  return row!
}

/** The latest occurrences that started nothing. */
export async function listUnfired(sql: Sql, project_id: string, since: Date) {
  return sql<(OccurrenceRow & { agent_slug: string })[]>`
    select ${sql(columnsOf(occurrences, 'o'))}, a.slug as agent_slug
    from (
      select * from occurrences
      where project_id = ${project_id} and scheduled_for >= ${since} and ${sql.unsafe(UNFIRED)}
      order by scheduled_for desc limit ${LIMITS.activity_fires}
    ) o join schedules s on s.project_id = ${project_id} and s.id = o.schedule_id 
      join agents a on a.project_id = ${project_id} and a.id = s.agent_id
    order by o.scheduled_for desc`
}
