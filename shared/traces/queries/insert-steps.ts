// Writes steps as a part of the statement that settles their items. Guarantee: a step is written where its item is, or not
// at all.

import type { Sql } from '../../context.ts'
import type { StepRow } from '../../domain/step-row.ts'
import { numbers, textRows } from '../../store/columns.ts'

/** Of the items that `settled` has, those steps. */
export function insertSteps(sql: Sql, run_id: string, steps: readonly StepRow[]) {
  const column = <K extends keyof StepRow>(key: K) =>
    textRows(
      sql,
      steps.map(s => s[key] as string | null),
    )
  const figures = <K extends keyof StepRow>(key: K) => numbers(steps.map(s => s[key] as number | boolean))
  return sql`
    insert into steps (run_id, seq, step_no, attempt, kind, outcome, unpriced, unread, told, reused, input_tokens,
      output_tokens, cost_micro, started_at, duration_ms, key, name, model, outcome_reason, error_code, error_message,
      input, output)
    select ${run_id}, s.seq, s.step_no, s.attempt, s.kind::step_kind, s.outcome::outcome, s.unpriced, s.unread, s.told,
      s.reused, s.input_tokens, s.output_tokens, s.cost_micro, s.started_at::timestamptz, s.duration_ms, s.key, s.name,
      s.model, s.outcome_reason, s.error_code, s.error_message, s.input, s.output
    from rows from (
      unnest(${figures('seq')}::text::int[]), unnest(${figures('step_no')}::text::int[]),
      unnest(${figures('attempt')}::text::smallint[]),
      ${column('kind')}, ${column('outcome')},
      unnest(${figures('unpriced')}::text::boolean[]), ${column('unread')},
      unnest(${figures('told')}::text::boolean[]), unnest(${figures('reused')}::text::boolean[]),
      unnest(${figures('input_tokens')}::text::int[]), unnest(${figures('output_tokens')}::text::int[]),
      unnest(${figures('cost_micro')}::text::bigint[]),
      ${column('started_at')},
      unnest(${figures('duration_ms')}::text::float8[]),
      ${column('key')}, ${column('name')},
      ${column('model')},
      ${column('outcome_reason')},
      ${column('error_code')},
      ${column('error_message')},
      ${column('input')},
      ${column('output')}
    ) as s(seq, step_no, attempt, kind, outcome, unpriced, unread, told, reused, input_tokens, output_tokens,
      cost_micro, started_at, duration_ms, key, name, model, outcome_reason, error_code, error_message, input, output)
    join settled using (seq)`
}
