// The columns that schedules and triggers share: the settings of the runs they start. Guarantee: every setting is
// stored.

import { boolean, integer, text } from 'drizzle-orm/pg-core'
import { micro } from '../../kernel/column-types.ts'

export const startColumns = () => ({
  budget_micro: micro('budget_micro'),
  /** Its runs continue with models that have no price; a budget does not count those calls. */
  allow_unpriced: boolean('allow_unpriced').notNull().default(false),
  /** How many items of each run go first, as its pilot; null starts all at once. */
  pilot_items: integer('pilot_items'),
  /** Most items of each run in flight at once; null sets no cap of its own. */
  concurrency: integer('concurrency'),
  timeout_seconds: integer('timeout_seconds'),
  /** How long each run waits for upstreams; null is the declaration's, or the default. */
  patience_seconds: integer('patience_seconds'),
  callback_url: text('callback_url'),
  /** Tags of its runs, by which people find them. */
  tags: text('tags').array().notNull().default([]),
})
