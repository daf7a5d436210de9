// The request and response shapes of grading a run again.

import * as z from '../../kernel/documented-zod.ts'
import { cursor, pageSize, slug } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { NO_CHECKS, readChecks } from '../rules/check-names.ts'
import { ANSWER_CHECKS, type AnswerCheck, LANGUAGES, REFUSAL_CHOICES } from '../vocabulary.ts'

const CHECKS_CHARACTERS = ANSWER_CHECKS.join(', ').length

const checks = z
  .string()
  .max(CHECKS_CHARACTERS)
  .transform((text, ctx): AnswerCheck[] => {
    const named = readChecks(text)
    if ('checks' in named) return named.checks
    const { unknown, near } = named
    const message = `knows no check ${JSON.stringify(unknown)}${near === undefined ? '' : `, but ${near}`}: give some of ${ANSWER_CHECKS.join(', ')} with commas between, or ${NO_CHECKS}`
    ctx.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .meta({
    type: 'string',
    example: 'cut_json,asks_back',
    description:
      'What answers are looked at for, with commas between; none for nothing. By default as declared.',
  })

export const GradeQuery = z.strictObject({
  agent: slug
    .optional()
    .describe("Whose declaration counts, of its current version: the run's own agent by default."),
  refusals: z.enum(REFUSAL_CHOICES).optional().describe('By default as declared.'),
  checks: checks.optional(),
  cursor: cursor.optional(),
  limit: pageSize(LIMITS.regrade_page),
})

const whole = (description: string) => z.int().min(0).describe(description)
const verdict = (description: string) => z.string().describe(description)

export const Grade = z
  .object({
    agent: z.string().describe('The agent whose declaration counts.'),
    version: z.int().nullable().describe('The version of it; null where nothing is deployed.'),
    refusals: z.enum(REFUSAL_CHOICES),
    checks: z.array(z.enum(ANSWER_CHECKS)),
    language: z
      .enum(LANGUAGES)
      .nullable()
      .describe('Answers in another one are wrong; null where none is declared.'),
    items: whole('Items that were looked at: those that returned.'),
    calls: whole('Model calls that were looked at.'),
    calls_left: whole(
      'Of these, calls that stay as they were: their agent reported the answer, or it (or the prompt, where that is compared) was too long to keep.',
    ),
    verdicts: z
      .array(
        z.object({
          verdict: verdict('A reason; unread of a call whose answer was not read; else ok.'),
          items_was: whole('Items that were recorded so.'),
          items_now: whole('Items that would be.'),
          calls_was: whole('Calls that were recorded so.'),
          calls_now: whole('Calls that would be.'),
        }),
      )
      .describe('Each verdict that occurs.'),
    changes: z
      .array(
        z.object({
          of: z.enum(['item', 'call']),
          was: verdict('As recorded.'),
          now: verdict('By the rules of today.'),
          count: whole('How many.'),
          examples: z
            .array(
              z.object({
                item_id: z.string().nullable(),
                record_id: z.string().nullable(),
                step: z.string().nullable().describe('The key of the step, of a call.'),
              }),
            )
            .max(LIMITS.regrade_examples)
            .describe('The first of them.'),
        }),
      )
      .describe('Each pair of verdicts that differs, the most frequent first.'),
    next_cursor: z
      .string()
      .nullable()
      .describe('Where the next part of the run begins; null after the last.'),
  })
  .openapi('Grade', { description: 'A part of a run as it was graded, and as it would be now.' })
