// Computes when the periods of budgets begin and end. Guarantee: a period is one of the project's own calendar,
// whatever its clocks do in it, and its end is the same wherever it is shown. A file of its own: it loads a calendar.

import { Temporal } from 'temporal-polyfill'
import type { BudgetPeriod } from './budgets.ts'

/** A day of a calendar, and when the next day begins, which is later if the clocks skip midnight. */
export interface SpendDay {
  /** Such as 2026-03-29. */
  day: string
  ends_at: Date
}

/** @example spendDayAt(Date.parse('2026-03-29T10:00:00Z'), 'Europe/Berlin') // ends at 22:00 UTC: the day has 23 hours */
export function spendDayAt(ms: number, timezone: string): SpendDay {
  const day = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate()
  return { day: day.toString(), ends_at: startOf(day.add({ days: 1 }), timezone) }
}

/** When the period that contains a day ends, and spending counts from zero again. */
export function periodEnd(day: string, period: BudgetPeriod, timezone: string): Date {
  const date = Temporal.PlainDate.from(day)
  const next = period === 'day' ? date.add({ days: 1 }) : date.with({ day: 1 }).add({ months: 1 })
  return startOf(next, timezone)
}

function startOf(date: Temporal.PlainDate, timezone: string): Date {
  return new Date(date.toZonedDateTime(timezone).epochMilliseconds)
}
