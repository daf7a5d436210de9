// Writes steps as a part of the statement that settles their items. Guarantee: a step is written together with its
// item, or not at all.

import type { Sql } from '../../context.ts'
import type { StepRow } from '../../grading/rules/step-row.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { rowsOf } from '../../kernel/packed-columns.ts'

/** Inserts those of the steps whose items are in `settled` of the statement. */
export function insertSteps(sql: Sql, { project_id, run_id }: RunKey, steps: readonly StepRow[]) {
  const rows = rowsOf(sql, steps, {
    step_no: ['int', s => s.step_no],
    seq: ['int', s => s.seq],
    attempt: ['smallint', s => s.attempt],
    kind: ['step_kind', s => s.kind],
    outcome: ['outcome', s => s.outcome],
    unpriced: ['boolean', s => s.unpriced],
    unread: ['text', s => s.unread],
    told: ['boolean', s => s.told],
    reused: ['boolean', s => s.reused],
    input_tokens: ['int', s => s.input_tokens],
    output_tokens: ['int', s => s.output_tokens],
    cost_micro: ['bigint', s => s.cost_micro],
    billed: ['boolean', s => s.billed],
    listed_micro: ['bigint', s => s.listed_micro],
    started_ms: ['float8', s => s.started_ms],
    duration_ms: ['float8', s => s.duration_ms],
    key: ['text', s => s.key],
    // Mostly the name is the key.
    name: ['text', s => (s.name === s.key ? null : s.name)],
    model: ['text', s => s.model],
    outcome_reason: ['text', s => s.outcome_reason],
    error_code: ['text', s => s.error_code],
    error_message: ['text', s => s.error_message],
    input: ['text', s => s.input],
    output: ['text', s => s.output],
  })
  return sql`
    insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, unpriced, unread, told, reused, input_tokens,
      output_tokens, cost_micro, billed, listed_micro, started_at, duration_ms, key, name, model, outcome_reason, error_code, error_message,
      input, output)
    select ${project_id}, ${run_id}, s.seq, s.step_no, s.attempt, s.kind, s.outcome, s.unpriced, s.unread, s.told, s.reused,
      s.input_tokens, s.output_tokens, s.cost_micro, s.billed, s.listed_micro, to_timestamp(s.started_ms / 1000), s.duration_ms, s.key,
      coalesce(s.name, s.key), s.model, s.outcome_reason, s.error_code, s.error_message, s.input, s.output
    from (${rows}) s join settled using (seq)`
}
