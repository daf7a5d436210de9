// The shape of an estimate as callers see it.

import { timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { ESTIMATE_BOUNDS, type Estimate as Estimated, sayEstimate } from '../../pacing/rules/estimate.ts'

export const Estimate = z
  .object({
    seconds: z.int().nullable().describe('Until its last call is sent; null if that is not known.'),
    ends_at: timestamp.nullable().describe('When its last item has ended; null if that is not known.'),
    limited_by: z
      .enum(ESTIMATE_BOUNDS)
      .nullable()
      .describe(
        'What binds: limit, of an upstream, set or reported; found_pace, with which an upstream without one was called before it refused; in_flight, the items that people allow there at once; places, of run, agent or project; pace, its own so far. Null if it is not known how long it takes.',
      ),
    message: z
      .string()
      .describe('How long and at what pace, or why that is not known.')
      .meta({ example: 'about 3 h 10 min at 200,000 tokens a minute of api.openai.com (OPENAI_API_KEY)' }),
  })
  .openapi('Estimate', { description: 'How long a run takes, by all that is known of what limits it.' })

/** An estimate, or why there is none. */
export type Foreseen = Estimated | { unknown: string }

/** Of something that begins at a moment. */
export function estimateAnswer(foreseen: Foreseen, from_ms: number): z.input<typeof Estimate> {
  if ('unknown' in foreseen)
    return { seconds: null, ends_at: null, limited_by: null, message: `not known: ${foreseen.unknown}` }
  return {
    seconds: Math.round(foreseen.seconds),
    ends_at: new Date(from_ms + 1000 * foreseen.ends_s).toISOString(),
    limited_by: foreseen.bound,
    message: sayEstimate(foreseen),
  }
}
