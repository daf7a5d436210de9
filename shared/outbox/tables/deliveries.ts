// Messages to the outside, written in the transaction that made them true, and every try to deliver them.

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

/** Those of runs are written by a trigger on `runs`, so that no way of ending a run can leave its callback out. */
export const deliveries = pgTable(
  'deliveries',
  {
    /** The same in every try, so that receivers can tell a repeat. */
    id: uuid('id').primaryKey().defaultRandom(),
    project_id: uuid('project_id').notNull(),
    run_id: uuid('run_id'),
    alert_id: uuid('alert_id'),
    kind: deliveryKind('kind').notNull(),
    /** http(s), or mailto with one address. */
    url: text('url').notNull(),
    /** What its receiver reads, as its channel said then. */
    format: channelFormat('format').notNull().default('json'),
    /** Who is waited for: a slow receiver must hold up nobody else. All mail goes to one server. */
    host: text('host')
      .notNull()
      .generatedAlwaysAs(sql`coalesce(substring(lower(url) from '^https?://([^/?#]+)'), 'mail')`),
    /** The run's row as it was when it ended so. */
    run: jsonb('run'),
    /** What is sent; of a run it is made at the first try, and again when retention took it. */
    body: text('body'),
    tries: smallint('tries').notNull().default(0),
    /** With so many it is given up; sending it again adds to them. */
    tries_allowed: smallint('tries_allowed').notNull().default(LIMITS.delivery_tries),
    /** When it is tried next, or taken for lost while it is tried; null once it was delivered or given up. */
    due_at: at('due_at').defaultNow(),
    created_at: createdAt(),
    delivered_at: at('delivered_at'),
  },
  t => [
    unique('deliveries_project_id').on(t.project_id, t.id),
    index('deliveries_due').on(t.host, t.due_at).where(sql`due_at is not null`),
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

/** One try: what the receiver said, or why it could not be asked. Without both it is under way, or its sender died. */
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
 * Which secret a project's messages are signed with; without a row it is the first. Secrets are derived from the master
 * key, so none is stored.
 */
export const signingSecrets = pgTable(
  'signing_secrets',
  {
    project_id: uuid('project_id')
      .primaryKey()
      .references(() => projects.id, { onDelete: 'cascade' }),
    version: smallint('version').notNull(),
    /** For a day the one before signs beside it. */
    rolled_at: at('rolled_at').notNull().defaultNow(),
  },
  t => [ofProject(t)],
)
