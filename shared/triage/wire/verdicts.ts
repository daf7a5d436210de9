// The response shape of how good verdicts are, and the mapping from rows.

import { count, id } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { isOftenWrong, judgedOf, precisionOf, type VerdictCounts } from '../rules/verdicts.ts'

export const JudgedReason = z
  .object({
    project_id: id('The project of its items.'),
    agent_id: id('The agent of its items.'),
    agent_slug: z.string(),
    reason: z
      .string()
      .describe(
        'The reason token. suspected_refusal: answers that were asked about. called_wrong: ok items that somebody called wrong.',
      ),
    judged: count('Verdicts with this reason that people judged.'),
    confirmed: count(
      'Of those, taken as right: replayed or dismissed one by one, or confirmed where it was asked.',
    ),
    wrong: count('Of those, called wrong.'),
    precision: z.number().min(0).max(1).describe('The share of them that was right.'),
    often_wrong: z
      .boolean()
      .describe(
        `At least ${LIMITS.verdicts_judged_least} were judged, and more than a fifth of them called wrong.`,
      ),
  })
  .openapi('JudgedReason', { description: 'How often people found verdicts with a reason right.' })

export const VerdictPage = z
  .object({
    rows: z.array(JudgedReason),
    next_cursor: z.string().nullable().describe('Where the next page begins; null on the last one.'),
  })
  .openapi('VerdictPage')

export interface JudgedSource extends VerdictCounts {
  project_id: string
  agent_id: string
  agent_slug: string
  reason: string
}

export const judgedReasonOf = (row: JudgedSource): z.input<typeof JudgedReason> => ({
  project_id: row.project_id,
  agent_id: row.agent_id,
  agent_slug: row.agent_slug,
  reason: row.reason,
  judged: judgedOf(row),
  confirmed: row.confirmed,
  wrong: row.wrong,
  precision: precisionOf(row),
  often_wrong: isOftenWrong(row),
})
