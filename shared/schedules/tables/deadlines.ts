// Deadlines: the time each day by which a schedule's run, or any run of an agent, must have ended.

import { foreignKey, index, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { agentOf } from '../../agents/tables/agents.ts'
import { at, createdAt, id } from '../../kernel/column-types.ts'
import { schedules } from './schedules.ts'

export const deadlines = pgTable(
  'deadlines',
  {
    id: id(),
    project_id: uuid('project_id').notNull(),
    agent_id: uuid('agent_id').notNull(),
    /** Null if any run of the agent meets the deadline, whoever started it. */
    schedule_id: uuid('schedule_id'),
    /** A time of day in the zone, such as 06:30. */
    finished_by: text('finished_by').notNull(),
    timezone: text('timezone').notNull(),
    /** When it is checked next. */
    due_at: at('due_at').notNull(),
    created_at: createdAt(),
  },
  t => [
    unique('deadlines_subject').on(t.agent_id, t.schedule_id).nullsNotDistinct(),
    index('deadlines_due').on(t.due_at),
    index('deadlines_project').on(t.project_id, t.id),
    agentOf(t),
    foreignKey({
      columns: [t.project_id, t.schedule_id],
      foreignColumns: [schedules.project_id, schedules.id],
    }).onDelete('cascade'),
    ofProject(t),
  ],
)
