// Causes: alike failures seen as one, and how many items have each. Their counts are kept by triggers on `triage`.

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

/** Items, and of those the ones that wait for a decision; what they cost together. */
const counts = () => ({
  count: integer('count').notNull().default(0),
  waiting: integer('waiting').notNull().default(0),
  cost_micro: micro('cost_micro').notNull().default(0),
})

export const causes = pgTable(
  'causes',
  {
    /** Of what the cause is made of, so that no statement can store another. */
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
    /** Runs with items of it. */
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

/** Of each run, how many of its items have a cause. */
export const causeRuns = pgTable(
  'cause_runs',
  {
    run_id: uuid('run_id').notNull(),
    cause_id: text('cause_id').notNull(),
    project_id: projectId(),
    ...counts(),
    first_seen: at('first_seen').notNull(),
    last_seen: at('last_seen').notNull(),
    /** One of them. */
    seq: integer('seq').notNull(),
  },
  t => [
    primaryKey({ columns: [t.run_id, t.cause_id] }),
    index('cause_runs_cause').on(t.project_id, t.cause_id, t.run_id),
    ofProject(t),
  ],
)

/** Of each day (UTC), how many items came into triage with a cause. */
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
