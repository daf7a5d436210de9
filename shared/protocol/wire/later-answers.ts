// The shapes of what an agent that answers later sends and receives.

import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'

export const AnswerAddress = z.strictObject({
  to: z
    .string()
    .min(1)
    .max(300)
    .describe('Part of the address that came with the request as assay-answer-url.'),
})

export const AnswerLine = z
  .looseObject({
    type: z.enum(['step', 'heartbeat', 'result', 'error', 'hold', 'yield', 'later']),
    seq: z
      .int()
      .min(1)
      .max(LIMITS.items_per_run)
      .optional()
      .describe('Of the item; of all types but heartbeat and later.'),
    attempt: z.int().min(1).max(LIMITS.attempts_per_item).optional().describe('As it came with the item.'),
  })
  .openapi('AnswerLine', {
    description: 'A line of the agent protocol.',
    example: { type: 'result', seq: 1, attempt: 1, output: { label: 'billing' } },
  })

export const AwaitedItems = z
  .object({
    run_id: z.uuid(),
    open: z
      .array(z.int())
      .describe('By their seq, the items that are still awaited at this address. Work on no others.'),
    passed_over: z
      .array(
        z.object({
          line: z.int().min(1).describe('Its number in the body, from 1.'),
          problem: z.string().describe('Why nobody can use the line.'),
        }),
      )
      .max(LIMITS.answer_passed_over)
      .optional()
      .describe('The first lines that name no item of this address. The others counted.'),
  })
  .openapi('AwaitedItems', { description: 'What is still awaited of an agent that answers later.' })
