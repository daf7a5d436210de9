// Budgets by day and by month, beside that of a run. Guarantee: one is called by the same name wherever it is told.

import { dollars } from './amounts.ts'

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

export const DEFAULT_ZONE = 'UTC'

/** @example budgetName({ period: 'day', agent_slug: 'triage' }) // "the day's budget of agent triage" */
export const budgetName = ({ period, agent_slug }: Pick<PeriodBudget, 'period' | 'agent_slug'>): string =>
  `the ${period}'s budget of ${agent_slug === null ? 'the project' : `agent ${agent_slug}`}`

/** @example sayMoment(new Date('2026-03-29T22:00:00Z'), 'Europe/Berlin') // '2026-03-30 00:00 Europe/Berlin' */
export function sayMoment(at: Date, timezone: string): string {
  // Swedes write a date as ISO 8601 does.
  const wall = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  return `${wall.format(at)} ${timezone}`
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
