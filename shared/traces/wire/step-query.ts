// The query parameters of a search of steps.

import * as z from 'zod'
import { OUTCOME_REASONS } from '../../grading/vocabulary.ts'
import { OUTCOMES } from '../../items/vocabulary.ts'
import { cursor, instant, itemId, label, usdAmount, uuid } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { SEARCHED_IN } from '../vocabulary.ts'

export const timeRange = {
  from: instant('Only steps that began at or after this time.').optional(),
  to: instant('Only steps that began before this time.').optional(),
}

export const StepQuery = z.strictObject({
  q: label(LIMITS.search_characters, 'Words to find, or a part of a name.').optional(),
  in: z
    .enum(SEARCHED_IN)
    .default('everything')
    .describe(
      'Where q is searched for. messages: in what people, models and tools wrote (prompts, answers, arguments and results of tools, error messages). everything: also in names, error codes, parameters of requests, schemas and definitions of tools.',
    ),
  item_id: itemId.optional().describe('Only steps of items with this identifier of yours.'),
  item_id_prefix: itemId.optional().describe('Only steps of items whose identifier begins like this.'),
  record_id: uuid('Only the trace of the item with this record id.').optional(),
  run_id: uuid('Only steps of this run.').optional(),
  project_id: uuid('Only steps of this project.').optional(),
  outcome_status: z.enum(OUTCOMES).optional().describe('Only steps with this verdict.'),
  outcome: z.enum(OUTCOMES).optional().describe('The same as outcome_status.'),
  outcome_reason: z.enum(OUTCOME_REASONS).optional().describe('Only steps that the grader gave this reason.'),
  min_cost_usd: usdAmount('Only steps that cost at least this many dollars.').optional(),
  ...timeRange,
  sort: z
    .enum(['recent', 'cost'])
    .default('recent')
    .describe(
      'recent: the most recent first. cost: the most expensive first, without those that cost nothing.',
    ),
  cursor: cursor.optional(),
})
