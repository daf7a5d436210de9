// Tables of budgets by day and month, and of spending by day. The statement that records a cost adds it to both.

import { sql } from 'drizzle-orm'
import { date, pgEnum, pgTable, primaryKey, unique, uuid } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { agentOf } from '../../agents/tables/agents.ts'
import { at, micro } from '../../kernel/column-types.ts'
import { BUDGET_PERIODS } from '../rules/budgets.ts'

export const budgetPeriod = pgEnum('budget_period', BUDGET_PERIODS)

/** At most four rows bound a run: by day and month, of its project and of its agent. */
export const budgets = pgTable(
  'budgets',
  {
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Null for a budget of the whole project. */
    agent_id: uuid('agent_id'),
    period: budgetPeriod('period').notNull(),
    limit_micro: micro('limit_micro').notNull(),
    /** Spent in the period of the project's `spend_day`: the sum of its days in `spending`. */
    spent_micro: micro('spent_micro').notNull().default(0),
    updated_at: at('updated_at').notNull().default(sql`now()`),
  },
  t => [
    unique('budgets_of').on(t.project_id, t.agent_id, t.period).nullsNotDistinct(),
    agentOf(t),
    ofProject(t),
  ],
)

/** What agents have spent, by day of the project's calendar, while the project has a budget. Outlives the agent. */
export const spending = pgTable(
  'spending',
  {
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    agent_id: uuid('agent_id').notNull(),
    day: date('day').notNull(),
    spent_micro: micro('spent_micro').notNull(),
  },
  t => [primaryKey({ columns: [t.project_id, t.day, t.agent_id] }), ofProject(t)],
)
