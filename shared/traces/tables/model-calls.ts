// Table of model calls, counted by day: a few rows for any number of calls.

import { date, integer, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { agentOf } from '../../agents/tables/agents.ts'
import { micro } from '../../kernel/column-types.ts'

/** Counted when steps are indexed; steps reused from an earlier item were counted then, and are not counted again. */
export const modelCalls = pgTable(
  'model_calls',
  {
    project_id: uuid('project_id').notNull(),
    agent_id: uuid('agent_id').notNull(),
    /** The day in UTC on which the call began, never in the future. */
    day: date('day').notNull(),
    /** Empty when the call named none. */
    model: text('model').notNull(),
    /** How long the calls took, in quarters of an octave: at most 2^(took / 4) ms. */
    took: smallint('took').notNull(),
    calls: integer('calls').notNull(),
    degraded: integer('degraded').notNull(),
    failed: integer('failed').notNull(),
    unpriced: integer('unpriced').notNull(),
    input_tokens: micro('input_tokens').notNull(),
    output_tokens: micro('output_tokens').notNull(),
    cost_micro: micro('cost_micro').notNull(),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.agent_id, t.day, t.model, t.took] }),
    agentOf(t),
    ofProject(t),
  ],
)
