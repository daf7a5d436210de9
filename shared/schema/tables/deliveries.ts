// Messages to the outside, written in the transaction that made them true, and every try to deliver them.

import { sql } from 'drizzle-orm'
import {
  foreignKey,
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
import { DELIVERY_KINDS } from '../../domain/vocabulary.ts'
import { alerts } from './alerts.ts'
import { at, createdAt } from './columns.ts'
import { projects } from './projects.ts'
import { runOf } from './runs.ts'

export const deliveryKind = pgEnum('delivery_kind', DELIVERY_KINDS)

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
    /** What is sent, made at the first try and the same in every other. */
    body: text('body'),
    tries: smallint('tries').notNull().default(0),
    /** When it is tried next; null once it was delivered or given up. */
    due_at: at('due_at').defaultNow(),
    created_at: createdAt(),
    delivered_at: at('delivered_at'),
  },
  t => [
    unique('deliveries_project_id').on(t.project_id, t.id),
    index('deliveries_due').on(t.due_at).where(sql`due_at is not null`),
    index('deliveries_project').on(t.project_id, t.created_at, t.id),
    index('deliveries_run').on(t.run_id),
    runOf(t),
    foreignKey({
      columns: [t.project_id, t.alert_id],
      foreignColumns: [alerts.project_id, alerts.id],
    }).onDelete('cascade'),
  ],
)

/** One try: what the receiver said, or why it could not be asked. */
export const deliveryTries = pgTable(
  'delivery_tries',
  {
    delivery_id: uuid('delivery_id')
      .notNull()
      .references(() => deliveries.id, { onDelete: 'cascade' }),
    try: smallint('try').notNull(),
    started_at: at('started_at').notNull(),
    duration_ms: integer('duration_ms').notNull(),
    status: smallint('status'),
    error: text('error'),
  },
  t => [primaryKey({ columns: [t.delivery_id, t.try] })],
)

/** What a project's callbacks and alerts are signed with; for a day after a roll the old one signs beside the new. */
export const signingSecrets = pgTable(
  'signing_secrets',
  {
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    version: smallint('version').notNull(),
    /** Encrypted with a key that is not in the database. */
    sealed: text('sealed').notNull(),
    created_at: createdAt(),
    /** Null for the one in use. */
    valid_until: at('valid_until'),
  },
  t => [primaryKey({ columns: [t.project_id, t.version] })],
)
