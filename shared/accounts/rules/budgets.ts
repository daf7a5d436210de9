// Budgets by day and by month, beside that of a run. Guarantee: a period is one of the project's own calendar, whatever its
// clocks do in it, and what it leaves is reckoned the same wherever it is shown.

import { Temporal } from 'temporal-polyfill'
import { dollars } from '../../domain/amounts.ts'

export const BUDGET_PERIODS = ['day', 'month'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]

/** A budget as it stands in its period of now. */
export interface PeriodBudget {
  period: BudgetPeriod
  /** Null where it is the whole project's. */
  agent_slug: string | null
  limit_micro: number
  spent_micro: number
}

/** A day of a calendar, and when the next one begins: a gap at midnight begins it later. */
export interface SpendDay {
  /** As 2026-03-29. */
  day: string
  ends_at: Date
}

export const DEFAULT_ZONE = 'UTC'

/** @example spendDayAt(Date.parse('2026-03-29T10:00:00Z'), 'Europe/Berlin') // ends at 22:00 UTC: the day has 23 hours */
export function spendDayAt(ms: number, timezone: string): SpendDay {
  const day = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate()
  return { day: day.toString(), ends_at: startOf(day.add({ days: 1 }), timezone) }
}

/** When what is spent in the period of a day begins to count anew. */
export function periodEnd(day: string, period: BudgetPeriod, timezone: string): Date {
  const date = Temporal.PlainDate.from(day)
  const next = period === 'day' ? date.add({ days: 1 }) : date.with({ day: 1 }).add({ months: 1 })
  return startOf(next, timezone)
}

function startOf(date: Temporal.PlainDate, timezone: string): Date {
  return new Date(date.toZonedDateTime(timezone).epochMilliseconds)
}

/** @example budgetName({ period: 'day', agent_slug: 'triage' }) // "the day's budget of agent triage" */
export const budgetName = ({ period, agent_slug }: Pick<PeriodBudget, 'period' | 'agent_slug'>): string =>
  `the ${period}'s budget of ${agent_slug === null ? 'the project' : `agent ${agent_slug}`}`

/** @example sayMoment(new Date('2026-03-29T22:00:00Z'), 'Europe/Berlin') // '2026-03-30 00:00 Europe/Berlin' */
export function sayMoment(at: Date, timezone: string): string {
  const wall = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone)
  return `${wall.toPlainDate()} ${wall.toPlainTime().toString({ smallestUnit: 'minute' })} ${timezone}`
}

/** Why items wait for a budget whose money is gone, and until when. */
export function saySpent(budget: PeriodBudget & { ends_at: Date }, timezone: string): string {
  const name = budgetName(budget)
  return `${name[0]!.toUpperCase()}${name.slice(1)} (${dollars(budget.limit_micro)}) is spent; the item goes on by itself at ${sayMoment(budget.ends_at, timezone)}, or once the budget is raised.`
}

/** A budget as it is kept beside its days summed again, by name. */
export const tallyOf = (budget: Omit<PeriodBudget, 'limit_micro'> & { recount_micro: number }) => ({
  name: budgetName(budget),
  counter: budget.spent_micro,
  recount: budget.recount_micro,
})
