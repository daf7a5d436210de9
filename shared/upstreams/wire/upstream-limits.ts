// The shapes of limits that people set, and of those that answers reported. Guarantee: what is stored passed these shapes.

import { count, id } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { uuid } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { lowerOf, rateProblem } from '../../pacing/rules/declared-limits.ts'
import { type Pacing, rateOf, startPacing, useOf } from '../../pacing/rules/pacing.ts'
import { LIMITED } from '../../pacing/vocabulary.ts'

const rate = z
  .string()
  .superRefine((text, ctx) => {
    const message = rateProblem(text)
    if (message !== undefined) ctx.addIssue({ code: 'custom', message })
  })
  .meta({ maxLength: 20, example: '500/min' })

const limits = {
  requests: rate.describe('Calls, as a number and a unit (s, min, h, d): 500/min.'),
  tokens: rate.describe('Tokens of input and output, as for requests: 200000/min.'),
  in_flight: z
    .int()
    .min(1)
    .max(LIMITS.items_in_flight_per_consumer)
    .describe('Items in flight that need it, of all runs.'),
}

const some = {
  requests: limits.requests.optional(),
  tokens: limits.tokens.optional(),
  in_flight: limits.in_flight.optional(),
}

/** It is printed, and stands in headers. */
const host = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be visible characters of ASCII, without spaces')
  .max(LIMITS.upstream_host_characters)
  .describe("A provider's host, such as api.openai.com, or an agent's URL without its query.")
  .meta({ example: 'api.openai.com' })

export const LimitOrder = z
  .strictObject({
    project_id: uuid('The project; a key has its own.').optional(),
    host,
    label: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable of the environment')
      .max(LIMITS.name_characters)
      .optional()
      .describe(
        'The variable of the environment that has the credential; without it, every credential of the host.',
      )
      .meta({ example: 'OPENAI_API_KEY' }),
    ...some,
  })
  .refine(
    ({ requests, tokens, in_flight }) =>
      requests !== undefined || tokens !== undefined || in_flight !== undefined,
    'must set at least one of requests, tokens and in_flight',
  )
export type LimitOrder = z.output<typeof LimitOrder>

export const SetLimits = z.object({
  project_id: id('The project.'),
  host: z.string(),
  label: z.string().nullable(),
  ...some,
})

export const DeclaredLimitsAnswer = z
  .object({
    label: z
      .string()
      .nullable()
      .describe('The variable that it was set for; null for every credential of the host.'),
    ...some,
  })
  .describe('What a person set.')

const ReportedLimit = z.object({
  of: z.enum(LIMITED).describe('What it counts.'),
  amount: z.number().describe('How much there is in a window, or in a full bucket.'),
  left: z.number().describe('What the latest answer said was left.'),
  seconds: z
    .number()
    .nullable()
    .describe('The length of the window, or how long an empty bucket fills; null if not known yet.'),
})

export const limitFields = {
  declared_limits: z
    .array(DeclaredLimitsAnswer)
    .describe('Limits that people set; of several the lower counts.'),
  reported_limits: z.array(ReportedLimit).describe('Limits that its answers reported.'),
  items_per_minute: z
    .number()
    .nullable()
    .describe(
      'How many items begin in a minute at most, by all that is known; null if nothing holds them back.',
    ),
  calls_used: z
    .array(count('Calls.'))
    .describe(
      'Calls that were answered well in each half minute of the last ten minutes, the latest last; empty if they are not paced.',
    ),
}

export interface LimitsOfRow {
  declared: z.output<typeof DeclaredLimitsAnswer>[]
  pacing: Pacing | null
  now_ms: number
}

export function limitFieldsOf({ declared, pacing, now_ms }: LimitsOfRow) {
  // What was set a moment ago counts already, also before anything is called.
  const declared_limits = declared.map(({ label: _, ...limits }) => limits).reduce(lowerOf, {})
  const per_second = rateOf({ ...(pacing ?? startPacing(now_ms)), declared_limits }, now_ms)
  return {
    declared_limits: declared,
    reported_limits: (pacing?.limits ?? []).map(({ of, amount, length_ms, reports }) => ({
      of,
      amount,
      left: reports.at(-1)?.left ?? amount,
      seconds: length_ms === null ? null : length_ms / 1000,
    })),
    items_per_minute: per_second === null ? null : Math.round(600 * per_second) / 10,
    calls_used: pacing === null ? [] : useOf(pacing, now_ms),
  }
}
