// The response shape of what the checks over a run found.

import { id } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { itemRecordId } from '../../kernel/ids.ts'
import { usdOf } from '../../prices/rules/pricing.ts'
import { type CheckedRun, sayFailedRunCheck } from '../rules/run-checks.ts'
import { RUN_CHECKS } from '../vocabulary.ts'

export const FailedRunChecks = z
  .array(
    z.object({
      check: z.enum(RUN_CHECKS),
      message: z.string().describe('What was found, in words.'),
      value: z
        .number()
        .describe(
          'Of one_answer the share of items that have it; of a jump what is typical: bytes of an answer, dollars of an item.',
        ),
      before: z.number().nullable().describe('Of a jump, the same in the run before.'),
      before_run_id: id('Of a jump, the run that this one is held against.').nullable(),
      record_id: id('Of one_answer, one of the items.').nullable(),
    }),
  )
  .nullable()
  .describe(
    'What shows over the run and in no single item, a second or so after its end; no verdict and no status depends on it. Null for a run that was not looked at.',
  )

export function failedRunChecksOf(run: {
  id: string
  answer_figures: CheckedRun | null
}): z.input<typeof FailedRunChecks> {
  if (run.answer_figures == null) return null
  return run.answer_figures.failed.map(failed => {
    const { check, value, before, before_run_id, seq } = failed
    const shown = (amount: number) => (check === 'cost_jump' ? usdOf(amount) : amount)
    return {
      check,
      message: sayFailedRunCheck(failed),
      value: shown(value),
      before: before === null ? null : shown(before),
      before_run_id,
      record_id: seq === null ? null : itemRecordId(run.id, seq),
    }
  })
}
