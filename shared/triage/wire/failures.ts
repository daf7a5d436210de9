// The response shape of the failures of a run.

import { count } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { RECORDED_LANES } from '../vocabulary.ts'

const groups = <T extends z.ZodType>(of: T, description: string) =>
  z.array(of).max(LIMITS.failure_groups).describe(description)
const counts = { count: count('Items.'), waiting: count('Of those, items that wait for a decision.') }
const calls = {
  calls: count(
    `Calls of the first ${LIMITS.uncounted_items} items that have such a call, among the first ${LIMITS.failures_looked_through} of the run.`,
  ),
  record_id: z.string().meta({ format: 'uuid', description: 'Record id of an item that made one.' }),
}

export const RunFailures = z
  .object({
    looked_at: count('Items that did not work, or were held, and are counted here.'),
    is_complete: z
      .boolean()
      .describe(
        `False where there are more than ${LIMITS.failures_looked_through}: then only the first of them are counted.`,
      ),
    reasons: groups(
      z.object({
        kind: z.enum(RECORDED_LANES).describe('dlq: it did not work. quarantine: it is or was held.'),
        reason: z.string().describe('Why, as a token.'),
        error_code: z.string().nullable(),
        ...counts,
        message: z.string().nullable().describe('What one of them says.'),
        record_id: z.string().meta({ format: 'uuid', description: 'Record id of that one.' }),
      }),
      'By reason and error code, the most frequent first.',
    ),
    reason_count: count('Reasons and error codes in all, those listed included.'),
    clusters: groups(
      z.object({
        cluster_key: z.string(),
        error_code: z.string(),
        sample_prompt: z.string().describe('First 200 characters of the canonicalized input prompt.'),
        ...counts,
      }),
      'Failed items that share an error code and a prompt, if more than one does.',
    ),
    cluster_count: count('Such clusters in all.'),
    partitions: groups(
      z.object({
        partition_key: z.string(),
        failed: count('Items that failed.'),
        degraded: count('Items that are degraded.'),
        held: count('Items that are or were held.'),
        waiting: counts.waiting,
      }),
      'Partitions with most of them.',
    ),
    partition_count: count('Partitions with items counted here.'),
    unread: groups(
      z.object({
        found: z.string().describe('What was found in place of an answer that is known.'),
        ...calls,
      }),
      `Model calls whose answer was not read, by what was found, the most frequent first. Empty also where the first ${LIMITS.failures_looked_through} items of the run have none.`,
    ),
    unpriced: groups(
      z.object({
        model: z.string().nullable().describe('Null where the call names none.'),
        ...calls,
      }),
      `Model calls that were read and whose cost is not known, by their model. Empty also where the first ${LIMITS.failures_looked_through} items of the run have none.`,
    ),
  })
  .openapi('RunFailures', { description: 'What did not work in a run, by what went wrong and for whom.' })
export type RunFailures = z.infer<typeof RunFailures>
