// Outgoing messages, written in the transaction of the change they report, and every try to deliver them.

import { sql } from 'drizzle-orm'
import {
  foreignKey,
  index,
  integer,
  jsonb,
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
import { alerts, channelFormat } from '../../alerts/tables/alerts.ts'
import { runOf } from '../../items/tables/runs.ts'
import { at, createdAt, projectOfRun } from '../../kernel/column-types.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { DELIVERY_KINDS } from '../vocabulary.ts'

export const deliveryKind = pgEnum('delivery_kind', DELIVERY_KINDS)

/** A trigger on `runs` writes the messages about runs, so that no way of ending a run can leave its callback out. */
export const deliveries = pgTable(
  'deliveries',
  {
    /** The same in every try, so that receivers can recognise a repeat. */
    id: uuid('id').primaryKey().defaultRandom(),
    project_id: uuid('project_id').notNull(),
    run_id: uuid('run_id'),
    alert_id: uuid('alert_id'),
    kind: deliveryKind('kind').notNull(),
    /** http(s), or mailto with one address. */
    url: text('url').notNull(),
    /** The format that its channel had when the message was written. */
    format: channelFormat('format').notNull().default('json'),
    /** The receiver, by which senders take turns: a slow one must not delay the others. All mail goes to one server. */
    host: text('host')
      .notNull()
      .generatedAlwaysAs(sql`coalesce(substring(lower(url) from '^https?://([^/?#]+)'), 'mail')`),
    /** The run's row at the end that the message reports. */
    run: jsonb('run'),
    /** What is sent. It is composed at the first try, and again if retention has removed it. */
    body: text('body'),
    tries: smallint('tries').notNull().default(0),
    /** After so many tries it is given up; sending it again adds to them. */
    tries_allowed: smallint('tries_allowed').notNull().default(LIMITS.delivery_tries),
    /** When it is tried next; during a try, when its lease ends; null once it is delivered or given up. */
    due_at: at('due_at').defaultNow(),
    created_at: createdAt(),
    delivered_at: at('delivered_at'),
  },
  t => [
    unique('deliveries_project_id').on(t.project_id, t.id),
    index('deliveries_due').on(t.project_id, t.host, t.due_at).where(sql`due_at is not null`),
    index('deliveries_over').on(t.created_at).where(sql`due_at is null`),
    index('deliveries_project').on(t.project_id, t.created_at, t.id),
    index('deliveries_run').on(t.run_id),
    index('deliveries_alert').on(t.alert_id),
    runOf(t),
    foreignKey({
      columns: [t.project_id, t.alert_id],
      foreignColumns: [alerts.project_id, alerts.id],
    }).onDelete('cascade'),
    ofProject(t),
  ],
)

/** A try: what the receiver answered, or why there was no answer. With neither, it is under way or its sender died. */
export const deliveryTries = pgTable(
  'delivery_tries',
  {
    project_id: projectOfRun(),
    delivery_id: uuid('delivery_id')
      .notNull()
      .references(() => deliveries.id, { onDelete: 'cascade' }),
    try: smallint('try').notNull(),
    started_at: at('started_at').notNull().defaultNow(),
    duration_ms: integer('duration_ms'),
    status: smallint('status'),
    error: text('error'),
  },
  t => [primaryKey({ columns: [t.delivery_id, t.try] }), ofProject(t)],
)

/**
 * Which secret signs a project's messages; without a row it is the first. Secrets are derived from the master key, so
 * none is stored.
 */
export const signingSecrets = pgTable(
  'signing_secrets',
  {
    project_id: uuid('project_id')
      .primaryKey()
      .references(() => projects.id, { onDelete: 'cascade' }),
    version: smallint('version').notNull(),
    /** For a day from then on the previous secret signs as well. */
    rolled_at: at('rolled_at').notNull().defaultNow(),
  },
  t => [ofProject(t)],
)
