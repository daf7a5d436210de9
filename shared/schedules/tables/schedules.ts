// Recurring starts: schedules, and one occurrence for each of their fire times.

import { sql } from 'drizzle-orm'
import {
  boolean,
  foreignKey,
  index,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { agentOf } from '../../agents/tables/agents.ts'
import { at, createdAt, id } from '../../kernel/column-types.ts'
import type { NamedLimits } from '../../pacing/rules/named-limits.ts'
import type { ResultsReceiver } from '../../results/rules/results.ts'
import type { Source, SourceProblem } from '../../sources/rules/source.ts'
import { startColumns } from '../../submission/tables/start-columns.ts'
import { DISABLED_REASONS, OCCURRENCE_OUTCOMES, OCCURRENCE_REASONS } from '../vocabulary.ts'

export const disabledReason = pgEnum('disabled_reason', DISABLED_REASONS)
export const occurrenceOutcome = pgEnum('occurrence_outcome', OCCURRENCE_OUTCOMES)
export const occurrenceReason = pgEnum('occurrence_reason', OCCURRENCE_REASONS)

export const schedules = pgTable(
  'schedules',
  {
    id: id(),
    project_id: uuid('project_id').notNull(),
    agent_id: uuid('agent_id').notNull(),
    cron: text('cron').notNull(),
    timezone: text('timezone').notNull().default('UTC'),
    /** Declared in the agent's code: deploys change and remove it. */
    declared: boolean('declared').notNull().default(false),
    /** The label of it and its runs; null: its runs are called "schedule" and the cron. */
    name: text('name'),
    input: text('input').notNull().default('null'),
    /** Where its items come from; null if each run has one item, with `input` as its input. */
    source: jsonb('source').$type<Source>(),
    /** The request headers for its source, as JSON, encrypted with a key that is not in the database. */
    source_headers_sealed: text('source_headers_sealed'),
    ...startColumns(),
    /** The receiver of each run's results as a file. */
    results: jsonb('results').$type<ResultsReceiver>(),
    /** What its runs bring to upstreams, in place of what the project sets. */
    limits: jsonb('limits').$type<NamedLimits[]>(),
    enabled: boolean('enabled').notNull().default(true),
    disabled_reason: disabledReason('disabled_reason'),
    /** The first fire time without an occurrence row; null while disabled. */
    next_at: at('next_at'),
    last_run_at: at('last_run_at'),
    created_at: createdAt(),
    updated_at: at('updated_at').notNull().defaultNow(),
  },
  t => [
    unique('schedules_agent_cron').on(t.agent_id, t.cron),
    unique('schedules_project_id').on(t.project_id, t.id),
    index('schedules_limited').on(t.project_id).where(sql`limits is not null`),
    index('schedules_due').on(t.next_at).where(sql`next_at is not null`),
    agentOf(t),
    ofProject(t),
  ],
)

/** The constraint that gives a fire time one row; on a cluster it includes the project. */
export const ONE_ROW = 'occurrences_schedule_id_scheduled_for_manual_pk'

/** One fire time of a schedule, or one start by hand, and its outcome. */
export const occurrences = pgTable(
  'occurrences',
  {
    schedule_id: uuid('schedule_id').notNull(),
    scheduled_for: at('scheduled_for').notNull(),
    manual: boolean('manual').notNull().default(false),
    project_id: uuid('project_id').notNull(),
    occurred_at: at('occurred_at').notNull().defaultNow(),
    outcome: occurrenceOutcome('outcome').notNull(),
    reason: occurrenceReason('reason'),
    /** What was wrong with its source, and at which line. */
    detail: jsonb('detail').$type<SourceProblem>(),
    /** Kept when retention has removed the run. */
    run_id: uuid('run_id'),
    tries: smallint('tries').notNull().default(0),
    /** When the occurrence is retried after a transient fault; null once it is decided. */
    retry_at: at('retry_at'),
    /** When to check whether a worker has started the submitted run; null if there is nothing to check any more. */
    watch_until: at('watch_until'),
  },
  t => [
    // One row per fire time, whatever happens: only the process that inserts it acts on it.
    primaryKey({ columns: [t.schedule_id, t.scheduled_for, t.manual] }),
    index('occurrences_retry').on(t.retry_at).where(sql`retry_at is not null`),
    index('occurrences_retry_of').on(t.schedule_id).where(sql`retry_at is not null`),
    index('occurrences_project').on(t.project_id, t.scheduled_for),
    index('occurrences_run').on(t.run_id).where(sql`run_id is not null`),
    index('occurrences_watch').on(t.watch_until).where(sql`watch_until is not null`),
    foreignKey({
      columns: [t.project_id, t.schedule_id],
      foreignColumns: [schedules.project_id, schedules.id],
    }).onDelete('cascade'),
    ofProject(t),
  ],
)
