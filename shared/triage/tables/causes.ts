// Tables of causes, each a group of similar failures, and of how many items have each. Triggers on `triage` maintain
// the counts.

import { sql } from 'drizzle-orm'
import { date, index, integer, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { agents } from '../../agents/tables/agents.ts'
import { at, micro } from '../../kernel/column-types.ts'

const projectId = () =>
  uuid('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' })

/** The number of items, how many of them wait for a decision, and their total cost. */
const counts = () => ({
  count: integer('count').notNull().default(0),
  waiting: integer('waiting').notNull().default(0),
  cost_micro: micro('cost_micro').notNull().default(0),
})

export const causes = pgTable(
  'causes',
  {
    /** Derived from the fields that define the cause, so that no statement can store another id. */
    id: text('id')
      .notNull()
      .generatedAlwaysAs(
        sql`'cause_' || left(md5(agent_id::text || E'\\x1f' || step || E'\\x1f' || error_code || E'\\x1f' || reason || E'\\x1f' || template), 12)`,
      ),
    project_id: projectId(),
    agent_id: uuid('agent_id')
      .notNull()
      .references(() => agents.id, { onDelete: 'cascade' }),
    step: text('step').notNull(),
    error_code: text('error_code').notNull(),
    reason: text('reason').notNull(),
    /** The words of its first message, as shared/triage/rules/masking.ts leaves them. */
    template: text('template').notNull(),
    /** Places of words that differ among its messages. */
    varies: smallint('varies').array().notNull().default([]),
    ...counts(),
    /** The number of runs with items of this cause. */
    runs: integer('runs').notNull().default(0),
    first_seen: at('first_seen').notNull().defaultNow(),
    last_seen: at('last_seen').notNull().defaultNow(),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.id] }),
    index('causes_kind').on(t.agent_id, t.step, t.error_code, t.reason),
    ofProject(t),
  ],
)

/** How many items of each run have a cause. */
export const causeRuns = pgTable(
  'cause_runs',
  {
    run_id: uuid('run_id').notNull(),
    cause_id: text('cause_id').notNull(),
    project_id: projectId(),
    ...counts(),
    first_seen: at('first_seen').notNull(),
    last_seen: at('last_seen').notNull(),
    /** One of these items. */
    seq: integer('seq').notNull(),
  },
  t => [
    primaryKey({ columns: [t.run_id, t.cause_id] }),
    index('cause_runs_cause').on(t.project_id, t.cause_id, t.run_id),
    ofProject(t),
  ],
)

/** How many items came into triage with a cause on each day (UTC). */
export const causeDays = pgTable(
  'cause_days',
  {
    project_id: projectId(),
    cause_id: text('cause_id').notNull(),
    day: date('day').notNull(),
    ...counts(),
  },
  t => [primaryKey({ columns: [t.project_id, t.day, t.cause_id] }), ofProject(t)],
)
