// Names budgets by day and month, which apply in addition to a run's own. Guarantee: a budget has one name everywhere.

import { dollars } from './amounts.ts'

export const BUDGET_PERIODS = ['day', 'month'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]

/** A budget, and what is spent of it in the current period. */
export interface PeriodBudget {
  period: BudgetPeriod
  /** Null for a budget of the whole project. */
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
  // The Swedish locale writes a date as ISO 8601 does.
  const wall = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  return `${wall.format(at)} ${timezone}`
}

/** Says why items wait for a budget that is spent, and until when. */
export function saySpent(budget: PeriodBudget & { ends_at: Date }, timezone: string): string {
  const name = budgetName(budget)
  return `${name[0]!.toUpperCase()}${name.slice(1)} (${dollars(budget.limit_micro)}) is spent; the item continues at ${sayMoment(budget.ends_at, timezone)}, or as soon as the budget is raised.`
}

/** A budget's stored sum and its days summed again, with its name. */
export const tallyOf = (budget: Omit<PeriodBudget, 'limit_micro'> & { recount_micro: number }) => ({
  name: budgetName(budget),
  counter: budget.spent_micro,
  recount: budget.recount_micro,
})
