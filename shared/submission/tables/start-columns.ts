// Columns of what starts runs by itself, schedules and triggers alike. Guarantee: it keeps every setting of a start.

import { boolean, integer, text } from 'drizzle-orm/pg-core'
import { micro } from '../../kernel/column-types.ts'

export const startColumns = () => ({
  budget_micro: micro('budget_micro'),
  /** Its runs go on with models that have no price, which a budget then does not count. */
  allow_unpriced: boolean('allow_unpriced').notNull().default(false),
  /** So many items of each run go first; null is all at once. */
  pilot_items: integer('pilot_items'),
  /** So many items of each run are at work at once at most; null is no bound of its own. */
  concurrency: integer('concurrency'),
  timeout_seconds: integer('timeout_seconds'),
  callback_url: text('callback_url'),
  /** Words by which its runs are found again. */
  tags: text('tags').array().notNull().default([]),
})
