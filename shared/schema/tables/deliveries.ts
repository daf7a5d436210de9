// Messages to the outside.

import { sql } from 'drizzle-orm'
import { bigserial, index, pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { at, createdAt } from './columns.ts'
import { runOf } from './runs.ts'

/** Messages to the outside, written in the transaction that made them true. */
export const outbox = pgTable(
  'outbox',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    project_id: uuid('project_id').notNull(),
    run_id: uuid('run_id').notNull(),
    kind: text('kind').notNull(),
    url: text('url').notNull(),
    tries: smallint('tries').notNull().default(0),
    due_at: at('due_at').notNull().defaultNow(),
    created_at: createdAt(),
    delivered_at: at('delivered_at'),
  },
  t => [index('outbox_due').on(t.due_at).where(sql`delivered_at is null`), runOf(t)],
)
