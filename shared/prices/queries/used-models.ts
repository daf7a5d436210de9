// Finds which models a project called lately. Guarantee: reads a bounded number of runs (the latest, and the latest
// with unpriced calls), and a bounded number of first steps of each.

import type { Sql } from '../../context.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { DatedPrice } from '../rules/price-book.ts'
import type { UsedModel } from '../rules/price-check.ts'
import { pricesOf } from './prices.ts'

interface Looked {
  runs: number
  steps: number
  /** Every step of every run since then was read. */
  is_whole: boolean
}

/** The models called since a time, those called most first. */
export async function findUsedModels(sql: Sql, project_id: string, since_ms: number) {
  const runs = LIMITS.prices_checked_runs
  const steps = LIMITS.prices_checked_steps
  const [row] = await sql<[Looked & { models: UsedModel[] }]>`
    with seen as materialized (
      select id, unpriced_items > 0 as unpriced, nullif(unpriced_model, '') as unpriced_model from runs
      where project_id = ${project_id} and steps_purged_at is null and id >= ${firstIdAt(since_ms)}
      order by id desc limit ${LIMITS.prices_checked_through}),
    latest as materialized (
      (select id from seen order by id desc limit ${runs})
      union (select id from seen where unpriced order by id desc limit ${runs})),
    looked as materialized (
      select s.* from latest r cross join lateral (
        select run_id, kind, reused, model, unpriced, cost_micro from steps
        where project_id = ${project_id} and run_id = r.id
        order by seq, step_no limit ${steps}) s),
    reported as (
      select model, unpriced, cost_micro from looked where kind = 'llm_call' and not reused and model is not null
      -- The first call of a model without a price may come after the steps that were read.
      union all select * from (select distinct unpriced_model, true, 0::bigint from seen where unpriced_model is not null) m
        where not exists (select 1 from looked l where l.model = m.unpriced_model and l.unpriced)),
    called as (
      select model, count(*)::int as calls, count(*) filter (where unpriced)::int as unpriced_calls,
        sum(cost_micro)::bigint as cost_micro
      from reported group by model order by 2 desc, 1 limit ${LIMITS.prices_checked_models})
    select (select count(*)::int from latest) as runs, (select count(*)::int from looked) as steps,
      (select count(*) from latest) = (select count(*) from seen)
        and (select count(*) from seen) < ${LIMITS.prices_checked_through}
        and not exists (select 1 from looked group by run_id having count(*) >= ${steps}) as is_whole,
      (select coalesce(jsonb_agg(to_jsonb(c)), '[]') from called c) as models`
  return row
}

/** A project's own prices, dated; null when it has none. */
export async function readPrices(sql: Sql, project_id: string): Promise<DatedPrice[] | null> {
  const [row] = await sql<[{ prices: DatedPrice[] | null }]>`
    select ${pricesOf(sql, sql`${project_id}`)} as prices`
  return row?.prices ?? null
}
