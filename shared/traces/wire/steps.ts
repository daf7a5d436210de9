// The response shape of a step. Guarantee: payloads are returned as the exact text that was recorded.

import { OUTCOMES, type Outcome, STEP_KINDS } from '../../items/vocabulary.ts'
import { rawJson } from '../../json/raw-json.ts'
import { count, id, payload, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { itemRecordId } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { snippetOf } from '../../kernel/snippet.ts'
import { withoutEscapes } from '../../kernel/words.ts'
import { centsOf, usdOf } from '../../prices/rules/pricing.ts'
import { messageTexts } from '../../providers/rules/message-texts.ts'
import type { steps } from '../tables/steps.ts'
import type { SearchedIn } from '../vocabulary.ts'

export type StepRow = typeof steps.$inferSelect & { item_id: string; item_outcome: Outcome | null }

const SNIPPET_FIELDS = ['error_message', 'name', 'error_code', 'input', 'output'] as const
type Field = (typeof SNIPPET_FIELDS)[number]

export const Step = z
  .object({
    run_id: id('The run of its item.'),
    record_id: id('Record id of its item.'),
    item_id: z.string().describe('Your own identifier of its item.'),
    item_outcome_status: z
      .enum(OUTCOMES)
      .nullable()
      .describe('Whether its item worked, which may differ from the step; null while that has no verdict.'),
    step_no: count('Its place in the trace of its item.'),
    attempt: z.int().describe('The attempt it was recorded in.'),
    key: z.string().describe('Its name within the item, the same in every attempt.'),
    type: z.enum(STEP_KINDS),
    name: z.string().describe("The model's or the tool's name, or the step's."),
    tool_name: z.string().nullable().describe('The name, where the step is a tool call or its result.'),
    model: z.string().nullable(),
    outcome_status: z.enum(OUTCOMES),
    outcome_reason: z.string().nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    input_tokens: count('Input tokens.'),
    output_tokens: count('Output tokens.'),
    cost_cents: count('In whole cents.'),
    cost_usd: z.number(),
    billed: z.boolean().describe("The cost is the provider's own bill, as its answer has it."),
    listed_cost_usd: z
      .number()
      .nullable()
      .describe('Of a billed call: what it costs by its price. Null without a price, and of other calls.'),
    unpriced: z.boolean(),
    unread: z
      .string()
      .nullable()
      .describe('Of a model call whose answer could not be read, so that it is not graded: what was found.'),
    reused: z.boolean().describe('Taken over from an earlier item, at no cost.'),
    started_at: timestamp,
    duration_ms: z.number(),
    input: payload('What went in; cut and marked when it was over the bound.'),
    output: payload('What came out; cut and marked when it was over the bound.'),
    snippet: z
      .object({
        field: z.enum(SNIPPET_FIELDS).describe('Where q was met.'),
        text: z
          .string()
          .describe(
            'The text around it on one line, of the message that has it if one does; the hit stands between « and ».',
          ),
      })
      .nullable()
      .describe('The first hit of q; null without q.'),
  })
  .openapi('Step', { description: "A node of an item's trace." })

/** `query` is what the step was searched by, for the snippet. */
export function stepOf(row: StepRow, query?: { q: string; in: SearchedIn }): z.input<typeof Step> {
  return {
    run_id: row.run_id,
    record_id: itemRecordId(row.run_id, row.seq),
    item_id: row.item_id,
    item_outcome_status: row.item_outcome,
    step_no: row.step_no,
    attempt: row.attempt,
    key: row.key,
    type: row.kind,
    name: row.name,
    tool_name: row.kind === 'tool_call' || row.kind === 'tool_result' ? row.name : null,
    model: row.model,
    outcome_status: row.outcome,
    outcome_reason: row.outcome_reason,
    error_code: row.error_code,
    error_message: row.error_message,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cost_cents: centsOf(row.cost_micro),
    cost_usd: usdOf(row.cost_micro),
    billed: row.billed,
    listed_cost_usd: row.listed_micro === null ? null : usdOf(row.listed_micro),
    unpriced: row.unpriced,
    unread: row.unread,
    reused: row.reused,
    started_at: row.started_at.toISOString(),
    duration_ms: row.duration_ms,
    input: rawJson(row.input),
    output: rawJson(row.output),
    snippet: query === undefined ? null : snippetOf(textsOf(row, query.in), query.q),
  }
}

/** Some characters more than are searched, so that a hit at their end is shown in its sentence. */
const SHOWN_CHARACTERS = 2 * LIMITS.search_text_characters

/** Messages before payloads as they stand: a word of a schema is often one of a message, too. */
function textsOf(row: StepRow, where: SearchedIn): [Field, string | null][] {
  const head = (text: string | null) => text?.slice(0, SHOWN_CHARACTERS) ?? null
  const [input, output] = [head(row.input), head(row.output)]
  const messages = messageTexts({ kind: row.kind, input, output })
  const said = [
    ['error_message', row.error_message],
    ...messages.input.map(text => ['input', text]),
    ...messages.output.map(text => ['output', text]),
  ] as [Field, string | null][]
  if (where === 'messages') return said
  return [
    ['error_message', row.error_message],
    ['name', row.name],
    ['error_code', row.error_code],
    ...said,
    ['input', input && withoutEscapes(input)],
    ['output', output && withoutEscapes(output)],
  ]
}
