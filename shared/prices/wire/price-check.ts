// The response shape of the prices of models that a project called lately.

import { count, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { PRICE_STATES, type PriceState, type UsedModel } from '../rules/price-check.ts'
import { pricesAsOf, pricesSource } from '../rules/price-day.ts'
import { usdOf } from '../rules/pricing.ts'

const CheckedModel = z.object({
  model: z.string(),
  state: z
    .enum(PRICE_STATES)
    .describe(
      '`none`: it has no price. `older_than_list`: the price is the project’s own, from before the day of the list, and the list says another.',
    ),
  source: z.enum(['own', 'list']).nullable().describe('Whose price it has; null for none.'),
  listed_as: z
    .string()
    .nullable()
    .describe('Provider and model by which the list knows it; null where it does not.'),
  effective_from: timestamp.nullable().describe('Since when the price of the project’s own holds.'),
  nearest: z.array(z.string()).describe('Names in the list that are most like one that is not there.'),
  calls: count('Calls of it among the steps that were looked at.'),
  unpriced_calls: count('Of those, calls whose cost is not known.'),
  cost_usd: z.number().describe('What those calls have cost, as recorded.'),
})

export const PriceCheck = z
  .object({
    prices_as_of: z.string().meta({ format: 'date', description: 'The day of the list.' }),
    source: z.string().describe('Where the list is from.'),
    since: timestamp.describe(`${LIMITS.prices_checked_days} days ago.`),
    runs: count(`The latest runs that were looked at; ${LIMITS.prices_checked_runs} at most.`),
    is_whole: z
      .boolean()
      .describe(
        `Whether every step since then was looked at. If not, calls and costs are of a sample: of each run at most the first ${LIMITS.prices_checked_steps} steps.`,
      ),
    models: z.array(CheckedModel).max(LIMITS.prices_checked_models).describe('Those called most first.'),
  })
  .openapi('PriceCheck', { description: 'Whether the models that a project called lately have a price.' })

const isoOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

export function priceCheckOf(
  { runs, is_whole }: { runs: number; is_whole: boolean },
  models: readonly (UsedModel & PriceState)[],
  since_ms: number,
): z.input<typeof PriceCheck> {
  return {
    prices_as_of: pricesAsOf(),
    source: pricesSource(),
    since: new Date(since_ms).toISOString(),
    runs,
    is_whole,
    models: models.map(({ effective_ms, cost_micro, ...rest }) => ({
      ...rest,
      effective_from: isoOf(effective_ms),
      cost_usd: usdOf(cost_micro),
    })),
  }
}
