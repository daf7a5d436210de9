// Counts calls of models by agent, and reads the counts. Guarantee: an agent has a bounded number of rows a day, and
// the cost of a read depends on the rows, however many calls there were.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { ModelUsageRow } from '../wire/model-usage.ts'

const OTHER_MODELS = 'other models'

/**
 * The model of a step `s`: the one that answered or, for a failed call, the one that its input names. Only inputs of
 * failed calls are searched, since that takes longer than all other counting.
 */
export const calledModel = (sql: Sql) => sql`
  case when s.model is null and s.kind = 'llm_call' and s.outcome = 'failed' then
    substring(left(s.input, ${LIMITS.search_text_characters}) from '"model" *: *"([^"]{1,128})"') else s.model end`

/** Counts the steps in `read` that came into the index, by day, agent, model and duration. */
const newCalls = (sql: Sql) => sql`
  -- A step from the future counts for today: an agent may send any time, and a future day would never end.
  select s.agent_id, (least(s.started_at, now()) at time zone 'UTC')::date as day,
    coalesce(s.model, '') as model, ceil(4 * ln(greatest(s.duration_ms, 1)) / ln(2))::smallint as took,
    count(*) as calls, count(*) filter (where s.outcome = 'degraded') as degraded,
    count(*) filter (where s.outcome = 'failed') as failed, count(*) filter (where s.unpriced) as unpriced,
    sum(s.input_tokens) as input_tokens, sum(s.output_tokens) as output_tokens, sum(s.cost_micro) as cost_micro
  from read s
  -- "is true" keeps this a hash lookup: as a join it compares every step with every other, which takes seconds for 4,000.
  where s.kind = 'llm_call' and not s.reused
    and ((s.run_id, s.seq, s.step_no) in (select run_id, seq, step_no from indexed)) is true
  group by 1, 2, 3, 4`

/**
 * Counts new calls, as parts of the statement that indexes steps, into `counted_calls`. An agent may name another model
 * in each call: once it has LIMITS.model_call_rows rows of a day, models that are new on that day are counted as one.
 * Known models may still add rows of other durations.
 */
export const newModelCalls = (sql: Sql, project_id: string) => sql`
  new_calls as materialized (${newCalls(sql)}),
  kept_calls as materialized (
    select agent_id, day, (
      select count(*) from (
        select from model_calls k where k.project_id = ${project_id} and (k.agent_id, k.day) = (d.agent_id, d.day)
        limit ${LIMITS.model_call_rows}
      ) kept
    ) as rows
    from (select distinct agent_id, day from new_calls) d
  ), counted_calls as (
  select agent_id, day, case when is_known or rows + nth <= ${LIMITS.model_call_rows} then model else ${OTHER_MODELS} end as model,
    took, sum(calls) as calls, sum(degraded) as degraded, sum(failed) as failed, sum(unpriced) as unpriced,
    sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens, sum(cost_micro) as cost_micro
  from (
    select c.*, is_known, rows,
      row_number() over (partition by c.agent_id, c.day, is_known order by c.model, c.took) as nth
    from new_calls c join kept_calls using (agent_id, day) cross join lateral (select exists (
      select 1 from model_calls k
      where k.project_id = ${project_id} and (k.agent_id, k.day, k.model) = (c.agent_id, c.day, c.model)
    ) as is_known) known
  ) named
  group by 1, 2, 3, 4
  )`

/** Adds rows of `counted_calls` to those of their day. */
export const addModelCalls = (sql: Sql, counted: Fragment, project_id: string) => sql`
  insert into model_calls as m (project_id, agent_id, day, model, took, calls, degraded, failed, unpriced, input_tokens,
    output_tokens, cost_micro)
  select ${project_id}::uuid, agent_id, day, model, took, calls, degraded, failed, unpriced, input_tokens,
    output_tokens, cost_micro
  from ${counted} order by 1, 2, 3, 4, 5
  on conflict (project_id, agent_id, day, model, took) do update set
    calls = m.calls + excluded.calls, degraded = m.degraded + excluded.degraded, failed = m.failed + excluded.failed,
    unpriced = m.unpriced + excluded.unpriced, input_tokens = m.input_tokens + excluded.input_tokens,
    output_tokens = m.output_tokens + excluded.output_tokens, cost_micro = m.cost_micro + excluded.cost_micro`

/** Usage by model since a day in UTC, as YYYY-MM-DD: the most expensive first, then those called most. */
export async function readModelUsage(sql: Sql, project_id: string, since: string): Promise<ModelUsageRow[]> {
  return sql<ModelUsageRow[]>`
    with banded as (
      select agent_id, model, took, sum(calls) as calls, sum(degraded) as degraded, sum(failed) as failed,
        sum(unpriced) as unpriced, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
        sum(cost_micro) as cost_micro
      from model_calls where project_id = ${project_id} and day >= ${since}::text::date group by 1, 2, 3
    ), ranked as (
      select *, sum(calls) over (partition by agent_id, model order by took) as upto,
        sum(calls) over (partition by agent_id, model) as of_all
      from banded
    )
    select r.agent_id, a.slug as agent_slug, r.model, sum(calls)::bigint as calls, sum(degraded)::bigint as degraded,
      sum(failed)::bigint as failed, sum(unpriced)::bigint as unpriced, sum(input_tokens)::bigint as input_tokens,
      sum(output_tokens)::bigint as output_tokens, sum(cost_micro)::bigint as cost_micro,
      min(took) filter (where upto >= 0.5 * of_all) as p50_took, min(took) filter (where upto >= 0.95 * of_all) as p95_took
    from ranked r join agents a on a.project_id = ${project_id} and a.id = r.agent_id and a.deleted_at is null
    group by 1, 2, 3 order by cost_micro desc, calls desc, 2, 3 limit ${LIMITS.model_usage_rows}`
}
