// The shape of a version of code that answers named, with what its items came to.

import { count, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { usdOf } from '../../prices/rules/pricing.ts'

/** Items that ended by one version of the code. */
export const CodeVersion = z
  .object({
    version: z
      .string()
      .nullable()
      .describe(
        `As its answers named it; null for all beyond the first ${LIMITS.code_versions} of a deployment together.`,
      ),
    items: count('Items that ended with an answer of this version.'),
    ok: count('Of those, items that worked.'),
    degraded: count('Of those, items that returned and did not work.'),
    failed: count('Of those, items that raised or reached a budget.'),
    cost_usd: z.number().describe('What they cost.'),
  })
  .openapi('CodeVersion', {
    description:
      'Code that named itself in its answers: the header assay-code-version, or the field `version` of a line.',
  })

export const runVersions = z
  .array(CodeVersion)
  .describe(
    'The versions of the code that its items ended by, in the order in which they were first seen; of a run that is asked for alone, compared, or has ended in its stream.',
  )

export const itemVersion = z
  .string()
  .nullable()
  .describe(
    `The version of the code that ended it or, of a held item, that holds it, as its answer named it; null if it named none, and beyond the first ${LIMITS.code_versions} of a deployment.`,
  )

/** Steps that are taken over, by what made them. */
export const reusedVersions = z.array(
  z.object({
    deployment_version: z.int().nullable().describe('The version of the agent; null if it is gone.'),
    code_version: z
      .string()
      .nullable()
      .describe(
        'The code, as its answers named it; null if it named none, or is not known: an item keeps the name of the code that ended it, not of other code that its earlier attempts ran.',
      ),
    steps: count('Steps that are taken over.'),
  }),
)

export interface CodeVersionRow {
  name: string | null
  ok: number
  degraded: number
  failed: number
  cost_micro: number
}

export const codeVersionOf = ({
  name,
  cost_micro,
  ...counts
}: CodeVersionRow): z.input<typeof CodeVersion> => ({
  version: name,
  items: counts.ok + counts.degraded + counts.failed,
  ok: counts.ok,
  degraded: counts.degraded,
  failed: counts.failed,
  cost_usd: usdOf(cost_micro),
})

export const SeenCodeVersion = CodeVersion.extend({
  first_seen_at: timestamp.describe('When an answer, or a deploy, first named it.'),
}).openapi('SeenCodeVersion', {
  description: `A version of the code of an agent, over its latest ${LIMITS.code_version_runs} runs.`,
})

export const seenCodeVersionOf = ({
  created_at,
  ...row
}: CodeVersionRow & { created_at: Date }): z.input<typeof SeenCodeVersion> => ({
  ...codeVersionOf(row),
  first_seen_at: created_at.toISOString(),
})
