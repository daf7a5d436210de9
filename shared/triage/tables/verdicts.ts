// Tables of how often people found verdicts right, and of the items to ask them about. The decisions themselves update
// the counts, so a read costs as much as agents have reasons and days, however many decisions there were. The counts
// outlive the items.

import { date, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { agents } from '../../agents/tables/agents.ts'
import { runs } from '../../items/tables/runs.ts'
import { projectOfRun } from '../../kernel/column-types.ts'

/** How many verdicts were taken as right and how many called wrong, by day (UTC), agent and reason. */
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
    // Begins with the agent, since removing an agent removes its rows.
    primaryKey({ columns: [t.agent_id, t.reason, t.day] }),
    index('verdict_days_project').on(t.project_id, t.day),
    ofProject(t),
  ],
)

/** Sampled items that may not have worked, kept until they have ended; then people are asked about them. */
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
