// Tables of steps, which are the nodes of items' traces, and of what they are searched and removed by.

import { sql } from 'drizzle-orm'
import {
  bigserial,
  boolean,
  doublePrecision,
  index,
  integer,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { outcome } from '../../items/tables/runs.ts'
import { STEP_KINDS } from '../../items/vocabulary.ts'
import { at, micro, projectOfRun, tsvector } from '../../kernel/column-types.ts'
import { PURGE_KINDS } from '../../upkeep/vocabulary.ts'

export const stepKind = pgEnum('step_kind', STEP_KINDS)
export const purgeKind = pgEnum('purge_kind', PURGE_KINDS)

/**
 * Nodes of items' traces. Partitioned by ranges of run_id, which is time-ordered, so that retention drops whole
 * partitions and an item's steps are found in one of them. Steps copied from earlier items are `reused`, at no cost.
 */
export const steps = pgTable(
  'steps',
  {
    project_id: projectOfRun(),
    run_id: uuid('run_id').notNull(),
    seq: integer('seq').notNull(),
    step_no: integer('step_no').notNull(),
    attempt: smallint('attempt').notNull(),
    kind: stepKind('kind').notNull(),
    outcome: outcome('outcome').notNull(),
    unpriced: boolean('unpriced').notNull().default(false),
    /** What was found instead of an answer, for a model call whose answer was not read. */
    unread: text('unread'),
    /** The model call was graded by the answer its agent reported, so its output alone can't be graded again. */
    told: boolean('told').notNull().default(false),
    reused: boolean('reused').notNull().default(false),
    input_tokens: integer('input_tokens').notNull().default(0),
    output_tokens: integer('output_tokens').notNull().default(0),
    cost_micro: micro('cost_micro').notNull().default(0),
    /** The cost is the provider's own bill; what the price makes of the call, if it has one, stands beside it. */
    billed: boolean('billed').notNull().default(false),
    listed_micro: micro('listed_micro'),
    started_at: at('started_at').notNull(),
    duration_ms: doublePrecision('duration_ms').notNull(),
    key: text('key').notNull(),
    name: text('name').notNull(),
    model: text('model'),
    outcome_reason: text('outcome_reason'),
    error_code: text('error_code'),
    error_message: text('error_message'),
    input: text('input'),
    output: text('output'),
  },
  t => [primaryKey({ columns: [t.project_id, t.run_id, t.seq, t.step_no] }), ofProject(t)],
)

/**
 * The search index of steps, apart from the steps so that writing these stays cheap: full text costs 30 µs a step, the
 * step itself 5 µs. A trigger files new steps in `unindexed_steps`; a chore indexes them, and so does every search
 * before it reads. Partitioned like the steps; rows are removed with their steps.
 */
export const stepIndex = pgTable(
  'step_index',
  {
    run_id: uuid('run_id').notNull(),
    seq: integer('seq').notNull(),
    step_no: integer('step_no').notNull(),
    project_id: uuid('project_id').notNull(),
    started_at: at('started_at').notNull(),
    cost_micro: micro('cost_micro').notNull(),
    kind: stepKind('kind').notNull(),
    outcome: outcome('outcome').notNull(),
    outcome_reason: text('outcome_reason'),
    error_code: text('error_code'),
    name: text('name').notNull(),
    words: tsvector('words').notNull(),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.run_id, t.seq, t.step_no] }),
    index('step_index_recent').on(t.project_id, t.started_at),
    index('step_index_run').on(t.run_id, t.started_at),
    index('step_index_cost').on(t.project_id, t.cost_micro).where(sql`cost_micro > 0`),
    index('step_index_outcome').on(t.project_id, t.outcome, t.started_at).where(sql`outcome <> 'ok'`),
    index('step_index_outcome_cost').on(t.project_id, t.outcome, t.cost_micro).where(sql`outcome <> 'ok'`),
    index('step_index_reason')
      .on(t.project_id, t.outcome_reason, t.started_at)
      .where(sql`outcome_reason is not null`),
    index('step_index_name').on(t.project_id, t.name, t.started_at),
    index('step_index_words').using('gin', t.words),
  ],
)

/** Steps that were written and are not in the index yet: one row for each run in a flush. */
export const unindexedSteps = pgTable('unindexed_steps', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  project_id: projectOfRun(),
  run_id: uuid('run_id').notNull(),
  seqs: integer('seqs').array().notNull(),
  step_nos: integer('step_nos').array().notNull(),
})

// How steps did not work, and how many of them did not work in this way in an hour.
const errorCounts = {
  project_id: uuid('project_id').notNull(),
  hour: at('hour').notNull(),
  outcome: outcome('outcome').notNull(),
  error_code: text('error_code'),
  tool_name: text('tool_name'),
  outcome_reason: text('outcome_reason'),
  steps: integer('steps').notNull(),
  last_at: at('last_at').notNull(),
}

/** Indexed steps of a run that did not work. Removed as soon as retention decides to remove the run's steps. */
export const runStepErrors = pgTable(
  'run_step_errors',
  { run_id: uuid('run_id').notNull(), ...errorCounts },
  t => [
    unique('run_step_errors_kind')
      .on(t.run_id, t.hour, t.outcome, t.error_code, t.tool_name, t.outcome_reason)
      .nullsNotDistinct(),
    index('run_step_errors_hour').on(t.project_id, t.hour),
    ofProject(t),
  ],
)

/** The same for a whole project, maintained by triggers on `run_step_errors`; counts over a long time read it. */
export const projectStepErrors = pgTable(
  'project_step_errors',
  {
    ...errorCounts,
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
  },
  t => [
    unique('project_step_errors_kind')
      .on(t.project_id, t.hour, t.outcome, t.error_code, t.tool_name, t.outcome_reason)
      .nullsNotDistinct(),
    ofProject(t),
  ],
)

/** Runs whose steps, payloads or whole record retention is removing, and how far it has got. */
export const purges = pgTable(
  'purges',
  {
    project_id: projectOfRun(),
    run_id: uuid('run_id').notNull(),
    kind: purgeKind('kind').notNull(),
    next_seq: integer('next_seq').notNull().default(1),
  },
  t => [primaryKey({ columns: [t.project_id, t.run_id, t.kind] })],
)
