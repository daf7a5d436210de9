// The response shape of model usage.

import { count, id } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { centsOf, usdOf } from '../../prices/rules/pricing.ts'

export const ModelUsage = z
  .object({
    agent_id: id('The agent that made the calls.'),
    agent_slug: z.string(),
    model: z.string().nullable().describe('As the calls named it; null where they named none.'),
    calls: count('Calls that were made, retries included; what a replay took over was not called again.'),
    degraded: count('Of those, calls that returned and did not work, such as refusals.'),
    failed: count('Of those, calls that did not return an answer.'),
    unpriced: count('Of those, calls whose cost is not known.'),
    input_tokens: count('Input tokens.'),
    output_tokens: count('Output tokens.'),
    cost_cents: count('In whole cents.'),
    cost_usd: z.number(),
    p50_ms: z.number().describe('Half of the calls took no longer; within 9 %.'),
    p95_ms: z.number().describe('95 of 100 calls took no longer; within 9 %.'),
  })
  .openapi('ModelUsage', { description: 'What the calls of one model by one agent came to.' })

export interface ModelUsageRow {
  agent_id: string
  agent_slug: string
  model: string
  calls: number
  degraded: number
  failed: number
  unpriced: number
  input_tokens: number
  output_tokens: number
  cost_micro: number
  /** In quarters of an octave, as the table has it. */
  p50_took: number
  p95_took: number
}

/** The middle of a quarter of an octave, in ms. */
const msOf = (took: number) => Math.round(2 ** ((took - 0.5) / 4))

export const modelUsageOf = ({
  model,
  cost_micro,
  p50_took,
  p95_took,
  ...row
}: ModelUsageRow): z.input<typeof ModelUsage> => ({
  ...row,
  model: model || null,
  cost_cents: centsOf(cost_micro),
  cost_usd: usdOf(cost_micro),
  p50_ms: msOf(p50_took),
  p95_ms: msOf(p95_took),
})
