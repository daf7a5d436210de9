// The request and response shapes of budgets by day and month.

import { timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { budgetCents } from '../../kernel/fields.ts'
import { BUDGET_PERIODS, type BudgetPeriod, DEFAULT_ZONE } from '../rules/budgets.ts'
import { centsOf } from '../rules/pricing.ts'
import { periodEnd } from '../rules/spend-days.ts'

const limit = (period: BudgetPeriod) =>
  budgetCents
    .nullable()
    .optional()
    .describe(
      `Money, in cents, that may be spent in a ${period} of the project's zone; null is no bound. When it is spent, items are paused, and continue in the next ${period}.`,
    )

/** Fields of requests that create or change a project, or change an agent. */
export const budgetChanges = { day_budget_cents: limit('day'), month_budget_cents: limit('month') }

export const Budget = z
  .object({
    period: z.enum(BUDGET_PERIODS),
    limit_cents: z.int().describe('What may be spent in it.'),
    spent_cents: z.int().describe('What is spent of it; counted from when a budget was first set.'),
    left_cents: z.int().describe('What is left of it, at least 0.'),
    ends_at: timestamp.describe('When the next period begins.'),
  })
  .openapi('Budget', { description: 'A budget by day or by month, as it stands now.' })

/** Columns that are read with a project or an agent; `budgets` come as JSON. */
export interface BudgetsRow {
  budgets: { period: BudgetPeriod; limit_micro: number; spent_micro: number }[]
  spend_day: string | null
  timezone: string | null
}

export function budgetsOf({ budgets, spend_day, timezone }: BudgetsRow): z.input<typeof Budget>[] {
  return budgets.map(({ period, limit_micro, spent_micro }) => ({
    period,
    limit_cents: centsOf(limit_micro),
    spent_cents: centsOf(spent_micro),
    left_cents: centsOf(Math.max(0, limit_micro - spent_micro)),
    ends_at: periodEnd(spend_day!, period, timezone ?? DEFAULT_ZONE).toISOString(),
  }))
}
