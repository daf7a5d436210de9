// The shapes of limits that people set, and of those that answers reported. Guarantee: what is stored passed these shapes.

import { count, id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { uuid } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type DeclaredLimits, rateProblem } from '../../pacing/rules/declared-limits.ts'
import {
  hostProblem,
  inFlightProblem,
  inForce,
  limitsIn,
  type NamedLimits,
  namedLimitsOf,
  repeatedAt,
  type SetLimit,
  VARIABLE,
} from '../../pacing/rules/named-limits.ts'
import { type Pacing, rateOf, startPacing, useOf } from '../../pacing/rules/pacing.ts'
import { LIMITED, SET_IN } from '../../pacing/vocabulary.ts'

/** Refuses what a rule finds a problem with, in its words. */
const without =
  <T>(problemOf: (value: T) => string | undefined) =>
  (value: T, ctx: z.RefinementCtx) => {
    const message = problemOf(value)
    if (message !== undefined) ctx.addIssue({ code: 'custom', message })
  }

const rate = z.string().superRefine(without(rateProblem)).meta({ maxLength: 20, example: '500/min' })

const limits = {
  requests: rate.describe('Calls, as a number and a unit (s, min, h, d): 500/min.'),
  tokens: rate.describe('Tokens of input and output, as for requests: 200000/min.'),
  in_flight: z
    .number()
    .superRefine(without(inFlightProblem))
    .meta({ type: 'integer', minimum: 1, maximum: LIMITS.items_in_flight_per_consumer })
    .describe('Items in flight that need it, of all runs.'),
}

const some = {
  requests: limits.requests.optional(),
  tokens: limits.tokens.optional(),
  in_flight: limits.in_flight.optional(),
}

const host = z
  .string()
  .superRefine(without(hostProblem))
  .describe("A provider's host, such as api.openai.com, or an agent's URL without its query.")
  .meta({ maxLength: LIMITS.upstream_host_characters, example: 'api.openai.com' })

const variable = z
  .string()
  .regex(VARIABLE, 'must be the name of a variable of the environment, such as OPENAI_API_KEY')
  .max(LIMITS.name_characters)
  .describe(
    'The variable of the environment that has the credential; without it, every credential of the host.',
  )
  .meta({ example: 'OPENAI_API_KEY' })

const setsOne = [
  ({ requests, tokens, in_flight }: DeclaredLimits) =>
    requests !== undefined || tokens !== undefined || in_flight !== undefined,
  'must set at least one of requests, tokens and in_flight',
] as const

/** Limits with the host that they are for, as declarations and schedules carry them. */
export const NamedLimitList = z
  .array(
    z
      .strictObject({ host, credential: variable.optional(), ...some })
      .refine(...setsOne)
      .openapi('NamedLimits', {
        description: 'Limits of what items need outside, with the host that they are for.',
        example: { host: 'api.openai.com', credential: 'OPENAI_API_KEY', requests: '500/min' },
      }),
  )
  .max(LIMITS.named_limits)
  .superRefine((list: readonly NamedLimits[], ctx) => {
    const at = repeatedAt(list)
    if (at !== -1)
      ctx.addIssue({ code: 'custom', path: [at, 'host'], message: `"${list[at]!.host}" is named twice` })
  })

export const LimitOrder = z
  .strictObject({
    project_id: uuid('The project; a key has its own.').optional(),
    host,
    label: variable.optional(),
    ...some,
  })
  .refine(...setsOne)
export type LimitOrder = z.output<typeof LimitOrder>

export const SetLimits = z.object({
  project_id: id('The project.'),
  host: z.string(),
  label: z.string().nullable(),
  ...some,
})

export const DeclaredLimitsAnswer = z
  .object({
    id: id(
      "What names the upstream until its first call; of a schedule's limits the schedule, of an agent's the agent.",
    ),
    label: z
      .string()
      .nullable()
      .describe('The variable that it was set for; null for every credential of the host.'),
    set_in: z
      .enum(SET_IN)
      .describe(
        "schedule: by one whose run is at work, in place of the project's. declaration: by an agent, for its own items.",
      ),
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
  client_retries_at: timestamp
    .nullable()
    .describe(
      "When a provider's client was last seen to try again by itself, after a refusal: that is to be switched off (maxRetries: 0). Null if it never was.",
    ),
}

export interface LimitsOfRow {
  declared: SetLimit[]
  /** The agent whose declaration limits it, and how. */
  agent_id: string | null
  own: string | null
  pacing: Pacing | null
  now_ms: number
}

export function limitFieldsOf({ declared, agent_id, own, pacing, now_ms }: LimitsOfRow) {
  const set = own === null ? declared.map(limitOf) : [ownLimit(agent_id!, own)]
  // What was set a moment ago counts already, also before anything is called.
  const declared_limits = own === null ? inForce(declared) : limitsIn(own)
  const per_second = rateOf({ ...(pacing ?? startPacing(now_ms)), declared_limits }, now_ms)
  return {
    declared_limits: set,
    reported_limits: (pacing?.limits ?? []).map(({ of, amount, length_ms, reports }) => ({
      of,
      amount,
      left: reports.at(-1)?.left ?? amount,
      seconds: length_ms === null ? null : length_ms / 1000,
    })),
    items_per_minute: per_second === null ? null : Math.round(600 * per_second) / 10,
    calls_used: pacing === null ? [] : useOf(pacing, now_ms),
    client_retries_at: pacing?.client_retries_ms ? new Date(pacing.client_retries_ms).toISOString() : null,
  }
}

const limitOf = ({ id, of, label, limits }: SetLimit) => ({
  id,
  label: label === '' ? null : label,
  set_in: of,
  ...limits,
})

function ownLimit(id: string, own: string) {
  const { host: _, credential = null, ...limits } = namedLimitsOf(own)
  return { id, label: credential, set_in: 'declaration' as const, ...limits }
}
