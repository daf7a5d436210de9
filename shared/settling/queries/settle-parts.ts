// The parts of the statements that settle a flush: settle.ts on one machine, settle-apart.ts on a cluster.

import type { Fragment } from 'postgres'
import type { Refill } from '../../claims/queries/claim.ts'
import { type Asked, asked } from '../../cluster/queries/distributed.ts'
import type { Sql } from '../../context.ts'
import type { StepRow } from '../../grading/rules/step-row.ts'
import {
  CLOCK,
  countMoves,
  guard,
  outcomeOf,
  statusAfter,
  TALLIED,
  TALLY,
  useMoves,
} from '../../items/queries/transitions.ts'
import { hasSeq, rowsOf } from '../../kernel/packed-columns.ts'
import type { NotOk } from './not-ok.ts'
import {
  type FlushClaims,
  LOCKED,
  type Streak,
  stopAfterFailures,
  stopWhenSpent,
  streakAfter,
} from './settle-ended.ts'

/** What a flush says about one item: what its new steps add, and its verdict once there is one. */
export interface Entry extends NotOk {
  steps_before: number
  steps_after: number
  cost_micro: number
  input_tokens: number
  output_tokens: number
  /** The item has its first unpriced step in this flush. */
  newly_unpriced: boolean
  /** Answers of models to be graded, and how many of them could not be read. */
  model_calls: number
  unread_calls: number
  /** Answers graded ok that may be refusals. */
  suspected_calls: number
  /** The item is a replay that ran nothing again and ended like its original. */
  unchanged: boolean
}

export interface Flush extends Streak {
  run_id: string
  project_id: string
  agent_id: string
  entries: readonly Entry[]
  steps: readonly StepRow[]
  claims: FlushClaims
  /** The model of an unpriced call; empty if no price would give its cost, null if all calls were priced. */
  unpriced_model: string | null
  /** The claim to make in the same statement, if any. */
  refill?: Refill | null
}

/** Items that are not ok are few, so their further values are sent separately. */
export const isNotOk = ({ verdict }: Entry) =>
  verdict !== null && (verdict.status !== 'completed' || verdict.outcome !== 'ok')

/** The values that the flush has for each item. */
export const entryRows = (sql: Sql, entries: readonly Entry[]) =>
  rowsOf(sql, entries, {
    seq: ['int', e => e.seq],
    attempt: ['smallint', e => e.attempt],
    steps_before: ['int', e => e.steps_before],
    steps_after: ['int', e => e.steps_after],
    cost_micro: ['bigint', e => e.cost_micro],
    input_tokens: ['bigint', e => e.input_tokens],
    output_tokens: ['bigint', e => e.output_tokens],
    newly_unpriced: ['boolean', e => e.newly_unpriced],
    model_calls: ['int', e => e.model_calls],
    unread_calls: ['int', e => e.unread_calls],
    suspected_calls: ['int', e => e.suspected_calls],
    ends: ['boolean', e => e.verdict !== null],
    output: ['text', e => e.verdict?.output ?? null],
  })

/** Settles items that are still in the flush's attempt and have its number of steps. */
export function settleItems(sql: Sql, { project_id, run_id, entries }: Flush) {
  const seqs = entries.map(e => e.seq)
  return sql`
    update items i set
      status = case when e.ends then coalesce(b.status, ${sql.unsafe(statusAfter('complete'))}) else i.status end,
      outcome = case when e.ends and b.seq is null then ${sql.unsafe(outcomeOf('complete'))} else b.outcome end,
      outcome_reason = b.outcome_reason, degraded_reason = b.degraded_reason,
      error_code = b.error_code, error_message = b.error_message,
      output = e.output,
      completed_at = case when e.ends and b.status is distinct from ${sql.unsafe(statusAfter('hold'))} then clock.at end,
      step_count = e.steps_after, unpriced = i.unpriced or e.newly_unpriced,
      model_calls = i.model_calls + e.model_calls, unread_calls = i.unread_calls + e.unread_calls,
      suspected_calls = i.suspected_calls + e.suspected_calls,
      cost_micro = i.cost_micro + e.cost_micro, input_tokens = least(i.input_tokens + e.input_tokens, 2147483647),
      output_tokens = least(i.output_tokens + e.output_tokens, 2147483647)
    from entry e left join not_ok b using (seq), ${sql.unsafe(CLOCK)}
    where i.project_id = ${project_id} and i.run_id = ${run_id} and ${hasSeq(sql, 'i', seqs)}
      and i.seq = e.seq and i.attempt = e.attempt and ${sql.unsafe(guard('complete'))} and i.step_count = e.steps_before
      and ${sql.unsafe(LOCKED)}
    returning i.seq, i.status, i.outcome, i.outcome_reason, i.degraded_reason, i.error_code, i.partition_key,
      b.prompt, b.cause_id, i.cost_micro as item_cost_micro, e.ends, e.cost_micro, e.input_tokens, e.output_tokens, e.newly_unpriced,
      e.model_calls, e.unread_calls, e.suspected_calls`
}

/** Sums over `settled`. Steps and triage rows are written before the run's row is locked: others wait for that lock. */
export const sumsOf = (sql: Sql, unchanged: Fragment) => sql`
  select count(*) filter (where ends)::int as left_running, ${unchanged}::int as unchanged,
    ${sql.unsafe(TALLY)},
    coalesce(sum(cost_micro), 0)::bigint as cost_micro,
    coalesce(sum(input_tokens), 0)::bigint as input_tokens,
    coalesce(sum(output_tokens), 0)::bigint as output_tokens,
    count(*) filter (where newly_unpriced)::int as unpriced,
    coalesce(sum(model_calls), 0)::bigint as model_calls,
    coalesce(sum(unread_calls), 0)::bigint as unread_calls,
    coalesce(sum(suspected_calls), 0)::bigint as suspected_calls
  from settled where true`

/** Updates the run's counters. A finished run does not change: a flush sent twice must not announce its end again. */
export const countRun = (sql: Sql, flush: Flush, notOk: readonly Entry[]) => sql`
  update runs r set
    ${sql.unsafe(countMoves(TALLIED))}, unchanged = r.unchanged + n.unchanged,
    cost_micro = r.cost_micro + n.cost_micro, input_tokens = r.input_tokens + n.input_tokens,
    output_tokens = r.output_tokens + n.output_tokens, unpriced_items = r.unpriced_items + n.unpriced,
    model_calls = r.model_calls + n.model_calls, unread_calls = r.unread_calls + n.unread_calls,
    suspected_calls = r.suspected_calls + n.suspected_calls,
    consecutive_failures = ${streakAfter(sql, flush)}, ${waitForPrice(sql, flush, notOk)}
    ${stopWhenSpent(sql, sql`r.cost_micro + n.cost_micro`, stopAfterFailures(sql, flush))}
  from n, ${sql.unsafe(CLOCK)} where r.project_id = ${flush.project_id} and r.id = ${flush.run_id} and r.finished_at is null
  returning r.*, n.cost_micro as spent`

/**
 * A held run waits for the price of the model that it was held for, whichever models it called before. If the run waits
 * for a person, no price ends that wait. A flush that came too late holds nothing.
 */
function waitForPrice(sql: Sql, { unpriced_model: model }: Flush, notOk: readonly Entry[]) {
  if (model === null) return sql``
  const isHeld = notOk.some(({ verdict }) => verdict!.outcome_reason === 'unpriced_model')
  if (!isHeld) return sql`unpriced_model = coalesce(r.unpriced_model, ${model}),`
  return sql`
    unpriced_model = case when n.paused > 0 and not (r.waits_for_price and r.unpriced_model is not distinct from '')
      then ${model} else r.unpriced_model end,
    waits_for_price = case when n.paused > 0 then not r.allow_unpriced else r.waits_for_price end,
    waits_for_credit = r.waits_for_credit or n.paused > 0,`
}

/** Updates the project's usage, whose row is locked after its run's, as in all statements. */
export const useProject = (sql: Sql, node: Asked = null) => sql`
  update project_usage u set ${sql.unsafe(useMoves(TALLIED))}, spent_micro = u.spent_micro + n.cost_micro
  from n, counted c where u.project_id = c.project_id and (n.left_running > 0 or n.cost_micro > 0) ${asked(sql, 'u', node)}
  returning u.project_id, u.spend_day`

export const NONE = (sql: Sql) => sql`
  select null::int as seq, null::item_status as status, null::outcome as outcome, null::text as outcome_reason,
    null::text as degraded_reason, null::text as error_code, null::text as error_message, null::text as prompt,
    null::text as cause_id where false`
