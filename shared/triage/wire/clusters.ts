// The response shape of failure clusters.

import { count } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'

export const Cluster = z
  .object({
    cluster_key: z.string().describe('`<error_code>:<hash>`, or `other`.'),
    error_code: z.string().describe('Empty in `other`.'),
    sample_prompt: z
      .string()
      .describe('First 200 characters of the canonicalized input prompt; empty in `other`.'),
    count: count('Failed items in it.'),
    item_ids: z
      .array(z.string())
      .max(LIMITS.cluster_item_ids)
      .describe('Your identifiers of its latest items; empty in `other`.'),
    record_ids: z
      .array(z.string())
      .max(LIMITS.cluster_item_ids)
      .describe('Record ids of the same items, in the same order.'),
  })
  .openapi('FailureCluster', { description: 'Failed items that share an error code and a prompt.' })

export const Clusters = z
  .object({
    clusters: z.array(Cluster).describe('The largest first, `other` last.'),
    total_failures: count('The sum of all counts.'),
  })
  .openapi('FailureClusters')
