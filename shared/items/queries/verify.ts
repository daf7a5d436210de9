// Counts a run again from its items and steps.

import type { Sql } from '../../context.ts'
import type { RunKey } from '../../kernel/ids.ts'
import type { Counters, Recount, Tally } from '../wire/verify.ts'

type Flat = Tally['counts'] & Tally['totals']

/** The run's counters and their recount, both of one moment if the transaction of `sql` has one snapshot. */
export async function recountRun(sql: Sql, run: RunKey): Promise<{ counters: Counters; recount: Recount }> {
  const [counters, recount] = await Promise.all([readCounters(sql, run), recountItems(sql, run)])
  return { counters, recount }
}

async function readCounters(sql: Sql, { project_id, run_id }: RunKey): Promise<Counters> {
  const [row] = await sql<(Flat & Pick<Counters, 'cost_micro'>)[]>`
    select total_items as items, ok, degraded, failed, budget_exceeded, cancelled, paused, running,
      total_items - ok - degraded - failed - budget_exceeded - cancelled - paused - running as queued,
      input_tokens, output_tokens, unpriced_items, model_calls, unread_calls, suspected_calls, cost_micro, undecided
    from runs where project_id = ${project_id} and id = ${run_id}`
  return { ...tallied(row!), cost_micro: row!.cost_micro }
}

async function recountItems(sql: Sql, { project_id, run_id }: RunKey): Promise<Recount> {
  const [row] = await sql<(Flat & Omit<Recount, keyof Tally>)[]>`
    select count(*) as items,
      count(*) filter (where status = 'completed' and outcome = 'ok') as ok,
      count(*) filter (where status = 'completed' and outcome = 'degraded') as degraded,
      count(*) filter (where status = 'failed' or status = 'completed' and outcome = 'failed') as failed,
      count(*) filter (where status = 'budget_exceeded') as budget_exceeded,
      count(*) filter (where status = 'cancelled') as cancelled,
      count(*) filter (where status = 'paused') as paused,
      count(*) filter (where status = 'queued') as queued,
      count(*) filter (where status = 'running') as running,
      coalesce(sum(input_tokens), 0)::bigint as input_tokens,
      coalesce(sum(output_tokens), 0)::bigint as output_tokens,
      count(*) filter (where unpriced) as unpriced_items,
      coalesce(sum(model_calls), 0)::bigint as model_calls,
      coalesce(sum(unread_calls), 0)::bigint as unread_calls,
      coalesce(sum(suspected_calls), 0)::bigint as suspected_calls,
      coalesce(sum(cost_micro), 0)::bigint as cost_micro_items,
      -- Steps that retention has removed cannot be counted again.
      coalesce(
        (select cost_micro from runs where project_id = ${project_id} and id = ${run_id} and steps_purged_at is not null),
        (select coalesce(sum(cost_micro), 0)::bigint from steps where project_id = ${project_id} and run_id = ${run_id})) as cost_micro_steps,
      (select count(*) from triage where project_id = ${project_id} and run_id = ${run_id} and lane = 'dlq'
        and (disposition is null or disposition = 'acknowledged')) as undecided,
      -- Counts lines that became two items, and ended items that would be offered again.
      count(*) - count(distinct line) + (
        select count(*) from due_items d join items e using (project_id, run_id, seq)
        where d.project_id = ${project_id} and d.run_id = ${run_id} and e.status not in ('queued', 'running')
      ) as double_verdicts
    from items where project_id = ${project_id} and run_id = ${run_id}`
  const { cost_micro_items, cost_micro_steps, double_verdicts } = row!
  return { ...tallied(row!), cost_micro_items, cost_micro_steps, double_verdicts }
}

function tallied(row: Flat): Tally {
  const { ok, degraded, failed, budget_exceeded, cancelled, paused, queued, running, undecided } = row
  const { items, input_tokens, output_tokens, unpriced_items, model_calls, unread_calls, suspected_calls } =
    row
  return {
    counts: { ok, degraded, failed, budget_exceeded, cancelled, paused, queued, running },
    totals: {
      items,
      input_tokens,
      output_tokens,
      unpriced_items,
      model_calls,
      unread_calls,
      suspected_calls,
      undecided,
    },
  }
}
