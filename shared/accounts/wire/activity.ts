// The shape of a project's recent activity and of what waits in it.

import { count, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { usdOf } from '../../prices/rules/pricing.ts'
import { Occurrence } from '../../schedules/wire/schedules.ts'

const waiting = (description: string) =>
  count(`${description} At most ${LIMITS.activity_counted} are counted.`)

const Day = z.object({
  day: z.string().meta({ format: 'date', description: 'In UTC.' }),
  runs: count('Runs submitted on this day, those that replay items left out.'),
  items: count('Their items.'),
  ok: count('Of those, items that worked.'),
  degraded: count('Of those, items that are degraded.'),
  failed: count('Of those, items that failed.'),
  over_budget: count('Of the failed ones, items that a budget ended: most of them never ran.'),
  cancelled: count('Of those, items that were cancelled.'),
  replayed: count('Items of the runs that were made on this day to replay items; no other count has them.'),
  replayed_ok: count('Of those, items that worked.'),
  cost_usd: z.number().describe('What the runs of this day have cost, replays included.'),
  unpriced_item_count: count('Items that called a model without a known price.'),
})

/** A day as the database sums it. */
export interface DayRow extends Omit<z.infer<typeof Day>, 'cost_usd' | 'unpriced_item_count'> {
  cost_micro: number
  unpriced_items: number
}

export const Activity = z
  .object({
    days: z.array(Day).describe('The oldest first, days without a run included; the last one is today.'),
    complete_since: timestamp.describe(
      `Of this time and later every run is counted: the latest ${LIMITS.activity_runs} are.`,
    ),
    waiting: z.object({
      dlq: waiting('Items that did not work and wait for a decision.'),
      quarantine: waiting('Items that are held.'),
    }),
    last_24_hours: z.object({
      given_up_deliveries: waiting('Callbacks and alerts that were given up.'),
      unfired_moments: waiting('Moments of schedules that started nothing.'),
      unfired: z
        .array(Occurrence.extend({ agent_slug: z.string() }))
        .max(LIMITS.activity_fires)
        .describe('The latest of them.'),
    }),
  })
  .openapi('Activity', { description: 'What a project did lately, and what waits in it.' })

const NOTHING = {
  runs: 0,
  items: 0,
  ok: 0,
  degraded: 0,
  failed: 0,
  over_budget: 0,
  cancelled: 0,
  replayed: 0,
  replayed_ok: 0,
  cost_usd: 0,
  unpriced_item_count: 0,
}

/** The days named, with zeros for days without a row. */
export const daysOf = (names: readonly string[], rows: readonly DayRow[]): z.input<typeof Day>[] =>
  names.map(day => {
    const row = rows.find(row => row.day === day)
    if (row === undefined) return { day, ...NOTHING }
    const { cost_micro, unpriced_items, ...counts } = row
    return { ...counts, cost_usd: usdOf(cost_micro), unpriced_item_count: unpriced_items }
  })
