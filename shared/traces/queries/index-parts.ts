// The parts of the statements that index steps of a project. Guarantee: a step that is in the index already is neither
// indexed nor counted again.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { numbers, texts } from '../../kernel/packed-columns.ts'
import { markedWords, withoutEscapes } from '../../kernel/words.ts'
import { messageTexts } from '../../providers/rules/message-texts.ts'
import { calledModel } from './model-calls.ts'
import { toolName } from './step-errors.ts'

/** A filed step; if it was removed meanwhile, all but its key is null. */
export interface FiledStep {
  run_id: string
  seq: number
  step_no: number
  kind: string
  name: string | null
  error_code: string | null
  error_message: string | null
  input: string | null
  output: string | null
}

/** Reads the texts of the filed steps. */
export const filedWith = (sql: Sql, filed: Fragment, project_id: string) => {
  const characters = LIMITS.search_text_characters
  return sql`
    select f.run_id, f.seq, f.step_no, s.kind, s.name, s.error_code, s.error_message,
      left(s.input, ${characters}) as input, left(s.output, ${characters}) as output
    from ${filed} f left join steps s on s.project_id = ${project_id} and s.run_id = f.run_id and s.seq = f.seq
      and s.step_no = f.step_no`
}

/** The steps to index, each with its words. */
export const stepRows = (sql: Sql, steps: readonly FiledStep[]) => sql`
  select run_id::uuid, seq, step_no, words from rows from (
    string_to_table(${texts(steps.map(step => step.run_id))}, E'\\x1e'),
    unnest(${numbers(steps.map(step => step.seq))}::text::int[]),
    unnest(${numbers(steps.map(step => step.step_no))}::text::int[]),
    string_to_table(${texts(steps.map(wordsOfStep))}, E'\\x1e', E'\\x1f')
  ) as t(run_id, seq, step_no, words)`

function wordsOfStep(step: FiledStep): string | null {
  const { name, error_code, error_message, input, output } = step
  const messages = messageTexts(step)
  const said = [error_message ?? '', ...messages.input, ...messages.output].join('\n')
  const rest = `${withoutTexts(input ?? '', messages.input)} ${withoutTexts(output ?? '', messages.output)}`
  const payloads = withoutEscapes(rest)
  return markedWords(said, `${name} ${error_code ?? ''} ${payloads}`).join(' ') || null
}

/** A shorter text is split into words twice as fast as it is looked for. */
const LONG_TEXT = 64

/** The payload without its long messages, whose words are known already; splitting a text is most of what indexing costs. */
function withoutTexts(payload: string, texts: readonly string[]): string {
  let rest = payload
  for (const text of texts) {
    if (text.length < LONG_TEXT) continue
    const json = JSON.stringify(text).slice(0, -1)
    const at = rest.indexOf(json)
    const end = at + json.length
    if (at >= 0 && (end === rest.length || rest[end] === '"'))
      rest = `${rest.slice(0, at)} ${rest.slice(end)}`
  }
  return rest
}

/** Reads the given steps, with the agent of their run. */
export const readSteps = (sql: Sql, given: Fragment, project_id: string) => sql`
  select s.run_id, s.seq, s.step_no, s.started_at, s.cost_micro, s.kind, s.outcome, s.outcome_reason, s.error_code,
    s.name, t.words, r.agent_id, s.reused, ${calledModel(sql)} as model, s.duration_ms, s.unpriced, s.input_tokens,
    s.output_tokens
  from ${given} t join steps s on s.project_id = ${project_id} and s.run_id = t.run_id and s.seq = t.seq
    and s.step_no = t.step_no
    -- Steps of a run that was removed meanwhile may be there still.
    join runs r on r.project_id = ${project_id} and r.id = s.run_id`

/** Returns the steps that were not in the index. */
export const intoIndex = (sql: Sql, read: Fragment, project_id: string) => sql`
  insert into step_index (run_id, seq, step_no, project_id, started_at, cost_micro, kind, outcome,
    outcome_reason, error_code, name, words)
  select run_id, seq, step_no, ${project_id}::uuid, started_at, cost_micro, kind, outcome, outcome_reason, error_code,
    name, coalesce(array_to_tsvector(string_to_array(words, ' ')), '')
  from ${read} s
  on conflict do nothing
  returning run_id, seq, step_no, started_at, kind, outcome, outcome_reason, error_code, name`

export const countStepErrors = (sql: Sql, indexed: Fragment, project_id: string) => sql`
  insert into run_step_errors as e (run_id, project_id, hour, outcome, error_code, tool_name, outcome_reason, steps, last_at)
  select run_id, ${project_id}::uuid, hour_of(started_at), outcome, error_code, ${toolName(sql)}, outcome_reason,
    count(*), max(started_at)
  from ${indexed} x where outcome <> 'ok' group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict on constraint run_step_errors_kind
  do update set steps = e.steps + excluded.steps, last_at = greatest(e.last_at, excluded.last_at)`
