// Alerts: the settings of rules, the channels they report to, and the alerts they raised.

import { sql } from 'drizzle-orm'
import { boolean, index, jsonb, pgEnum, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { agentOf } from '../../agents/tables/agents.ts'
import { runs } from '../../items/tables/runs.ts'
import { at, createdAt, id, projectOfRun } from '../../kernel/column-types.ts'
import { CHANNEL_FORMATS } from '../../outbox/vocabulary.ts'
import { ALERT_RULES, CHANNEL_DIGESTS } from '../vocabulary.ts'

export const alertRule = pgEnum('alert_rule', ALERT_RULES)
export const channelFormat = pgEnum('channel_format', CHANNEL_FORMATS)
export const channelDigest = pgEnum('channel_digest', CHANNEL_DIGESTS)

export const alerts = pgTable(
  'alerts',
  {
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    agent_id: uuid('agent_id'),
    schedule_id: uuid('schedule_id'),
    run_id: uuid('run_id'),
    rule: alertRule('rule').notNull(),
    /** A fixed token, never prose. */
    reason: text('reason').notNull(),
    /** What happened, in one sentence; what to do about it; and the command that does it. */
    message: text('message').notNull(),
    advice: text('advice').notNull(),
    command: text('command').notNull(),
    since: at('since').notNull(),
    /** What it is about, as in `alert_marks`; null in rows older than the resolving of alerts. */
    subject_id: uuid('subject_id'),
    /** When its condition ended, or a later alert replaced it; null while it is open. */
    resolved_at: at('resolved_at'),
    created_at: createdAt(),
  },
  t => [
    unique('alerts_project_id').on(t.project_id, t.id),
    index('alerts_open')
      .on(t.project_id, t.rule, t.subject_id)
      .where(sql`resolved_at is null and subject_id is not null`),
    index('alerts_run').on(t.run_id).where(sql`run_id is not null`),
    index('alerts_project').on(t.project_id, t.created_at, t.id),
    ofProject(t),
  ],
)

/** Ended runs that may need an alert or a digest. A trigger on `runs` inserts them. */
export const endedRuns = pgTable('ended_runs', {
  project_id: projectOfRun(),
  run_id: uuid('run_id')
    .primaryKey()
    .references(() => runs.id, { onDelete: 'cascade' }),
  /** False if the run had ended before, and all of its items have been decided about since. */
  first_end: boolean('first_end').notNull().default(true),
  /** Its deployment has checks over a run, which have not been made yet. */
  answers_due: boolean('answers_due').notNull().default(false),
})

/** When a rule last alerted about a subject; the row decides which process may alert again. */
export const alertMarks = pgTable(
  'alert_marks',
  {
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    rule: alertRule('rule').notNull(),
    /** The id of the schedule, the agent, the run or the project. */
    subject_id: uuid('subject_id').notNull(),
    raised_at: at('raised_at').notNull(),
    /** Null while the alert is open. */
    resolved_at: at('resolved_at'),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.rule, t.subject_id] }),
    index('alert_marks_project').on(t.project_id, t.raised_at),
  ],
)

/** A project's own setting of a rule, for all of its agents or for one. */
export const alertSettings = pgTable(
  'alert_settings',
  {
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    agent_id: uuid('agent_id'),
    rule: alertRule('rule').notNull(),
    enabled: boolean('enabled').notNull(),
    /** The bounds that the rule compares with, if it has any. */
    bounds: jsonb('bounds').$type<Record<string, number>>().notNull().default({}),
    updated_at: at('updated_at').notNull().defaultNow(),
  },
  t => [
    unique('alert_settings_rule').on(t.project_id, t.agent_id, t.rule).nullsNotDistinct(),
    agentOf(t),
    ofProject(t),
  ],
)

/** The channels that a project's alerts go to. */
export const alertChannels = pgTable(
  'alert_channels',
  {
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** http(s), or mailto with one address. */
    url: text('url').notNull(),
    format: channelFormat('format').notNull().default('json'),
    digest: channelDigest('digest').notNull().default('scheduled'),
    created_at: createdAt(),
  },
  t => [unique('alert_channels_url').on(t.project_id, t.url), ofProject(t)],
)
