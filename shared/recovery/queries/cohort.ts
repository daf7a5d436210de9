// Reads a cohort before it is replayed: its cost, its items and their reasons. Guarantee: only reads; sums are exact,
// lists are bounded by their callers.

import type { Sql } from '../../context.ts'
import type { ItemKey } from '../../kernel/ids.ts'
import { canBeReplayed } from '../../triage/queries/triage.ts'
import type { RecoveryFilter } from '../tables/recovery.ts'
import { cancelled, inTriage, isReplayed, standingFor } from './recoveries.ts'

/**
 * Items that would be replayed. `offset 0` makes each row of triage look its item up by key: PostgreSQL has no
 * statistics yet of a run that has just ended, estimates one row, and would read all its failures for each item.
 */
const waiting = (sql: Sql, projectId: string, filter: RecoveryFilter) => sql`
  select i.project_id, i.run_id, i.seq, i.cost_micro, i.unpriced
  from triage t join runs r on r.project_id = t.project_id and r.id = t.run_id, lateral (
    select i.* from items i where i.project_id = t.project_id and i.run_id = t.run_id and i.seq = t.seq offset 0) i
  where ${isReplayed(sql, filter)} and r.payloads_purged_at is null and ${inTriage(sql, projectId, filter)}`

const left = (sql: Sql, projectId: string, filter: RecoveryFilter) => sql`
  select i.project_id, i.run_id, i.seq, i.cost_micro, i.unpriced from items i, runs r
  where ${cancelled(sql, projectId, filter)} and ${canBeReplayed(sql, 'i')}`

function eligible(sql: Sql, projectId: string, filter: RecoveryFilter) {
  if (filter.status === undefined) return waiting(sql, projectId, filter)
  if (filter.status === 'cancelled') return left(sql, projectId, filter)
  return sql`${left(sql, projectId, filter)} union all ${waiting(sql, projectId, filter)}`
}

/** The filter, closed at this moment, so that it selects nothing that comes into triage later. */
export async function closedNow(sql: Sql, filter: RecoveryFilter): Promise<RecoveryFilter> {
  // A run whose cancelled items are acted on has ended, so there can be no more of them.
  if (filter.status === 'cancelled') return filter
  const [row] = await sql<{ to: string }[]>`
    select to_char(least(now(), ${filter.to ?? null}::text::timestamptz) at time zone 'utc',
      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as to`
  return { ...filter, to: row!.to }
}

export interface CohortCost {
  cost_micro: number
  /** Items that called a model without a known price. */
  unpriced: number
}

/** What all items of a cohort have cost. */
export async function findCohortCost(
  sql: Sql,
  projectId: string,
  filter: RecoveryFilter,
): Promise<CohortCost> {
  const [row] = await sql<CohortCost[]>`
    select coalesce(sum(cost_micro), 0)::bigint as cost_micro, count(*) filter (where unpriced)::int as unpriced
    from (${eligible(sql, projectId, filter)}) e`
  return row!
}

export interface CostedKey extends ItemKey {
  cost_micro: number
}

export async function findCohortItems(sql: Sql, projectId: string, filter: RecoveryFilter, limit: number) {
  return sql<CostedKey[]>`
    select project_id, run_id, seq, cost_micro from (${eligible(sql, projectId, filter)}) e limit ${limit}`
}

/** Items that would be resumed. */
export const findHeldItems = (sql: Sql, projectId: string, filter: RecoveryFilter, limit: number) => sql<
  ItemKey[]
>`
  select t.project_id, t.run_id, t.seq from triage t join runs r on r.project_id = t.project_id and r.id = t.run_id
  where ${inTriage(sql, projectId, filter)} and ${standingFor.resume(sql, filter)} = 'eligible' limit ${limit}`

/**
 * What a whole item of each run costs, of the first `each` of the run: what nineteen of twenty that worked cost at most,
 * and not less than their average, so that a few dear ones do not stand for all. Where none worked, of all.
 */
export async function findCostsOfItems(
  sql: Sql,
  projectId: string,
  runIds: readonly string[],
  each: number,
): Promise<Map<string, number>> {
  const rows = await sql<{ run_id: string; cost_micro: number | null }[]>`
    select r.id as run_id, coalesce(
      greatest(avg(i.cost_micro) filter (where i.outcome = 'ok')::float8,
        percentile_cont(0.95) within group (order by i.cost_micro) filter (where i.outcome = 'ok')),
      greatest(avg(i.cost_micro)::float8, percentile_cont(0.95) within group (order by i.cost_micro))) as cost_micro
    from unnest(${[...runIds]}::uuid[]) as r(id), lateral (
      select outcome, cost_micro from items where project_id = ${projectId} and run_id = r.id order by seq limit ${each}) i
    group by r.id`
  return new Map(
    rows.flatMap(({ run_id, cost_micro }) => (cost_micro === null ? [] : [[run_id, cost_micro]])),
  )
}

/** The reasons of items in triage that pass the rest of a filter, the most frequent first. */
export async function findReasons(sql: Sql, projectId: string, filter: RecoveryFilter, limit: number) {
  const { reason: _, ...rest } = filter
  return sql<{ reason: string; count: number }[]>`
    select t.reason, count(*)::int as count from triage t where ${inTriage(sql, projectId, rest)}
    group by 1 order by 2 desc, 1 limit ${limit}`
}
