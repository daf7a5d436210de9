// The response shape of a comparison of two runs.

import { OUTCOMES } from '../../items/vocabulary.ts'
import { type CodeVersionRow, codeVersionOf } from '../../items/wire/code-versions.ts'
import { Run, type RunRow, runOf } from '../../items/wire/runs.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { usdOf } from '../../prices/rules/pricing.ts'

const record = (description: string) => z.string().meta({ format: 'uuid', description }).nullable()
const verdict = (description: string) => z.enum([...OUTCOMES, 'held', 'none', 'absent']).describe(description)
const reason = (description: string) => z.string().nullable().describe(description)

const VerdictChange = z.object({
  before: verdict(
    'The verdict in the run before; held: it waits for a person or for money. none: it has no verdict. absent: the run has no such item.',
  ),
  after: verdict('The verdict in this run.'),
  count: z.int().min(0).describe('Items.'),
  before_cost_usd: z.number().describe('What they cost in the run before.'),
  after_cost_usd: z.number().describe('What they cost in this run.'),
  items: z
    .array(
      z.object({
        item_id: z.string(),
        before_record_id: record('Its record in the run before.'),
        after_record_id: record('Its record in this run.'),
        before_reason: reason('Why it did not work in the run before; null where nothing says why.'),
        after_reason: reason('Why it did not work in this run; null where nothing says why.'),
      }),
    )
    .max(LIMITS.compared_changes)
    .describe('Some of them, where the verdict differs, in the order of this run.'),
})

/** A pair of verdicts as the database counts it. */
export interface ChangeRow extends Omit<z.infer<typeof VerdictChange>, 'before_cost_usd' | 'after_cost_usd'> {
  before_corrected: number
  after_corrected: number
  before_micro: number
  after_micro: number
}

export const RunComparison = z
  .object({
    before: Run.describe('The run named by `with`.'),
    after: Run.describe('The run named by the path.'),
    changes: z
      .array(VerdictChange)
      .describe('Each pair of verdicts that occurs, as people corrected them; the most frequent first.'),
    before_corrected_items: z
      .int()
      .describe(
        'Items whose verdict people corrected: `changes` counts them as people say, `before` as recorded.',
      ),
    after_corrected_items: z.int().describe('The same of this run.'),
  })
  .openapi('RunComparison', { description: 'Two runs, item by item.' })

type VersionedRun = RunRow & { versions: readonly CodeVersionRow[] }

const versioned = (run: VersionedRun) => ({
  ...runOf(run),
  code_versions: run.versions.map(codeVersionOf),
})

export const runComparisonOf = (
  before: VersionedRun,
  after: VersionedRun,
  changes: readonly ChangeRow[],
): z.input<typeof RunComparison> => ({
  before: versioned(before),
  after: versioned(after),
  changes: changes.map(
    ({ before_micro, after_micro, before_corrected: _, after_corrected: __, ...change }) => ({
      ...change,
      before_cost_usd: usdOf(before_micro),
      after_cost_usd: usdOf(after_micro),
    }),
  ),
  before_corrected_items: changes.reduce((sum, change) => sum + change.before_corrected, 0),
  after_corrected_items: changes.reduce((sum, change) => sum + change.after_corrected, 0),
})
