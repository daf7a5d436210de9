// How often people found verdicts right, and what they are to be asked about. Counted by the decisions themselves, so
// that reading it costs as much as there are reasons of agents, and days of them, and not as much as was decided; it
// outlives the items.

import { date, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { agents } from '../../agents/tables/agents.ts'
import { runs } from '../../items/tables/runs.ts'
import { projectOfRun } from '../../kernel/column-types.ts'

/** Of each day (UTC), agent and reason, how many verdicts were taken as right, and how many called wrong. */
export const verdictDays = pgTable(
  'verdict_days',
  {
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    agent_id: uuid('agent_id')
      .notNull()
      .references(() => agents.id, { onDelete: 'cascade' }),
    reason: text('reason').notNull(),
    day: date('day').notNull(),
    confirmed: integer('confirmed').notNull().default(0),
    wrong: integer('wrong').notNull().default(0),
  },
  t => [
    // Begins with the agent, since an agent that is removed takes its own along.
    primaryKey({ columns: [t.agent_id, t.reason, t.day] }),
    index('verdict_days_project').on(t.project_id, t.day),
    ofProject(t),
  ],
)

/** Items of the sample that may not have worked and have perhaps not ended: then somebody is asked about them. */
export const suspectedItems = pgTable(
  'suspected_items',
  {
    project_id: projectOfRun(),
    run_id: uuid('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    seq: integer('seq').notNull(),
  },
  t => [primaryKey({ columns: [t.run_id, t.seq] })],
)
