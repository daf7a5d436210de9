// The response shape of a result, the best item of an item_id. Guarantee: its output is returned as the exact text.

import { ITEM_STATUSES, OUTCOMES } from '../../items/vocabulary.ts'
import type { ItemRow } from '../../items/wire/runs.ts'
import { RawJson, rawJson } from '../../json/raw-json.ts'
import { id, Json, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { httpUrl, instant, slug, uuid } from '../../kernel/fields.ts'
import { itemRecordId } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { usdOf } from '../../prices/rules/pricing.ts'
import { type Column, cellOf, columnsOf, DEFAULT_COLUMNS, partOf } from '../rules/results.ts'
import { RESULT_FORMATS } from '../vocabulary.ts'

export const RESULTS_ONLY = ['ok', 'not_ok', 'all'] as const
export type ResultsOnly = (typeof RESULTS_ONLY)[number]

export const Result = z
  .object({
    item_id: z.string().describe('Your own identifier; each is there once.'),
    partition_key: z.string().nullable(),
    status: z.enum(ITEM_STATUSES).describe('Whether it ran.'),
    outcome_status: z
      .enum(OUTCOMES)
      .nullable()
      .describe('Whether it worked; null while there is no verdict.'),
    outcome_reason: z.string().nullable().describe('Why it is not ok, as a token.'),
    degraded_reason: z.string().nullable().describe('Why it is degraded, in words.'),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    input: Json.describe('The input, byte for byte; only where `fields` asks for it.'),
    output: Json.describe('The output, byte for byte; null when there is none.'),
    cost_usd: z.number().describe('What this item cost, in dollars.'),
    total_cost_usd: z.number().describe('What all its tries cost together.'),
    unpriced: z.boolean().describe('A try called a model without a known price: the costs are lower bounds.'),
    tries: z.int().min(1).describe('Items with this item_id that were looked at: originals and replays.'),
    run_id: id('The run it came from; of a replay, the replay’s.'),
    record_id: id('The id of its item record.'),
    line: z
      .int()
      .min(1)
      .describe(
        'Its place in the submission of the run, from 1: of a replay that is its result, the place it was replayed from. Of an agent, its place in its own run.',
      ),
    created_at: timestamp,
    completed_at: timestamp.nullable(),
    corrected: z
      .boolean()
      .describe(
        'People say so: outcome_status and outcome_reason are theirs, and not what was recorded. Who it was is in the audit log; the record of the item has what was recorded.',
      ),
    recorded_outcome_status: z
      .enum(OUTCOMES)
      .nullable()
      .describe('What was recorded; where people corrected it, outcome_status is another.'),
    code_version: z
      .string()
      .nullable()
      .describe('The version of the code that made it; only where `fields` asks for it.'),
  })
  .partial()
  .catchall(Json)
  .openapi('Result', {
    description:
      'The newest ok item of an item_id, else its newest. With `fields` it has those alone, by their names.',
  })

export const ResultsReceiverOrder = z
  .strictObject({
    url: httpUrl('Gets the results of each run as a file when it has ended, signed like a callback.'),
    format: z.enum(RESULT_FORMATS).default('csv').describe('csv by default.'),
  })
  .describe('Who gets the results of each run as a file when it has ended; nobody by default.')

const fields = z
  .string()
  .max(LIMITS.result_fields_characters)
  .transform((text, ctx) => {
    const columns = columnsOf(text)
    if (!('problem' in columns)) return columns
    ctx.addIssue({ code: 'custom', message: columns.problem })
    return z.NEVER
  })
  .meta({
    type: 'string',
    example: 'item_id,outcome_status,output',
    description:
      'What each result is to have, in this order, with commas between; parts of the input and the output with dots, such as output.label or input.lines.0. Everything but the input and the code_version by default.',
  })

const flag = z.enum(['true', 'false']).transform(value => value === 'true')

export const ResultsQuery = z.strictObject({
  run_id: uuid('Results of this run and of all replays that descend from its items.').optional(),
  agent: slug.optional().describe('Results of all runs of the agent with this slug.'),
  project_id: uuid('The project of the agent, where the caller is no key of it.').optional(),
  since: instant('With agent: only of runs submitted from then on.').optional(),
  only: z
    .enum(RESULTS_ONLY)
    .default('all')
    .describe('ok: what worked in some try. not_ok: what has not worked in any. all by default.'),
  fields: fields.optional(),
  format: z.enum(RESULT_FORMATS).optional().describe('Instead of the Accept header.'),
  raw: flag.optional().meta({
    type: 'boolean',
    description:
      'With csv: leaves cells that begin with = + - @ as they are. Otherwise they are given a leading apostrophe, or a spreadsheet would run them; numbers are left alone.',
  }),
})

/** An item, with what its result says about its run and its other tries. */
export type ResultRow = Pick<
  ItemRow,
  | 'run_id'
  | 'seq'
  | 'line'
  | 'item_id'
  | 'partition_key'
  | 'status'
  | 'outcome'
  | 'outcome_reason'
  | 'degraded_reason'
  | 'error_code'
  | 'error_message'
  | 'cost_micro'
  | 'completed_at'
  | 'output'
  | 'code_version_name'
> & {
  /** Null when it was not requested, or is kept no longer. */
  input: string | null
  created_at: Date
  tries: number
  unpriced: boolean
  total_cost_micro: number
  /** Its outcome and reason are people's, not the recorded ones. */
  corrected: boolean
  recorded: ItemRow['outcome']
}

function resultOf(row: ResultRow): Required<z.input<typeof Result>> {
  return {
    item_id: row.item_id,
    partition_key: row.partition_key,
    status: row.status,
    outcome_status: row.outcome,
    outcome_reason: row.outcome_reason,
    degraded_reason: row.degraded_reason,
    error_code: row.error_code,
    error_message: row.error_message,
    input: rawJson(row.input),
    output: rawJson(row.output),
    cost_usd: usdOf(row.cost_micro),
    total_cost_usd: usdOf(row.total_cost_micro),
    unpriced: row.unpriced,
    tries: row.tries,
    run_id: row.run_id,
    record_id: itemRecordId(row.run_id, row.seq),
    line: row.line,
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at === null ? null : row.completed_at.toISOString(),
    corrected: row.corrected,
    recorded_outcome_status: row.recorded,
    code_version: row.code_version_name,
  }
}

/** The values of a row's columns. */
function valuesOf(row: ResultRow, columns: readonly Column[]): unknown[] {
  const result = resultOf(row)
  return columns.map(({ field, path }) => {
    const value = result[field]
    if (!(value instanceof RawJson) || path.length === 0) return value
    return rawJson(partOf(value.text, path) ?? null)
  })
}

/** A result as an object for JSON. */
export function resultObject(row: ResultRow, columns: readonly Column[] = DEFAULT_COLUMNS): object {
  const values = valuesOf(row, columns)
  return Object.fromEntries(columns.map(({ name }, at) => [name, values[at]]))
}

/** A result as the cells of a table. */
export function resultCells(row: ResultRow, columns: readonly Column[] = DEFAULT_COLUMNS): string[] {
  return valuesOf(row, columns).map(value =>
    value instanceof RawJson ? cellOf(value.text) : value === null ? '' : String(value),
  )
}
