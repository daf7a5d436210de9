// Sets budgets by day and month, and begins their periods. Guarantee: a budget that is set includes what its period has
// spent since the project began to count, and each step is one transaction under the lock of the project's usage row.

import type { Context, Database } from '../../context.ts'
import { errorText } from '../../kernel/error-text.ts'
import { LIMITS } from '../../kernel/limits.ts'
import * as store from '../queries/budgets.ts'
import { BUDGET_PERIODS, type BudgetPeriod, DEFAULT_ZONE } from '../rules/budgets.ts'
import { microOf } from '../rules/pricing.ts'
import { spendDayAt } from '../rules/spend-days.ts'

/** Changes as callers name them; null removes a budget. */
export type BudgetChanges = { [P in BudgetPeriod as `${P}_budget_cents`]?: number | null | undefined }

/** Sets the budgets of a project, or of one of its agents. */
export async function setBudgets(
  ctx: Context,
  { project_id, agent_id }: { project_id: string; agent_id: string | null },
  changes: BudgetChanges,
): Promise<void> {
  const given = BUDGET_PERIODS.flatMap(period => {
    const cents = changes[`${period}_budget_cents`]
    return cents === undefined ? [] : [{ period, limit_micro: cents === null ? null : microOf(cents) }]
  })
  if (given.length === 0) return
  const put = async (db: Database) => {
    for (const change of given) await store.putBudget(db, { project_id, agent_id, ...change })
  }
  await underUsageLock(ctx, project_id, put, store.lockBudgets)
}

/** Counts spending from now on under the day of the project's time zone, after that may have been changed. */
export const followZone = (ctx: Context, project_id: string): Promise<void> =>
  underUsageLock(ctx, project_id, async () => {})

/** The chore: begins the next day of projects whose day is over, and the next month if that is over too. */
export async function beginSpendDays(ctx: Context): Promise<number> {
  const ended = await store.findEndedDays(ctx.sql, LIMITS.spend_days_per_sweep)
  for (const { project_id } of ended) {
    try {
      await underUsageLock(ctx, project_id, (db, day) =>
        store.deleteOldSpending(db, project_id, day, LIMITS.spending_days),
      )
    } catch (error) {
      // A time zone that this host does not know must not keep other projects' days from beginning.
      ctx.log('error', 'spend_day_failed', { project_id, error: errorText(error) })
    }
  }
  return ended.length
}

/** Runs `before` without the lock and `act` under it; then sets the current day and sums budgets from their days. */
async function underUsageLock(
  ctx: Context,
  project_id: string,
  act: (db: Database, day: string) => Promise<void>,
  before: (db: Database) => Promise<void> = async () => {},
): Promise<void> {
  await ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    await before(db)
    const project = await store.lockUsage(db, project_id)
    if (!project) return
    const day = spendDayAt(project.now_ms, project.timezone ?? DEFAULT_ZONE)
    await act(db, day.day)
    await store.setSpendDay(db, project_id, day)
  })
}
