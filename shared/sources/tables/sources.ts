// Where the reading of sources is booked. Guarantee: an occurrence is read by one reader at a time, and only the
// reader whose run the row names may open that run.

import { foreignKey, index, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { at } from '../../kernel/column-types.ts'
import { schedules } from '../../schedules/tables/schedules.ts'

/** An occurrence whose items are still to be read; the row goes with the outcome. The engine's alone. */
export const sourceReads = pgTable(
  'source_reads',
  {
    schedule_id: uuid('schedule_id').notNull(),
    scheduled_for: at('scheduled_for').notNull(),
    project_id: uuid('project_id').notNull(),
    /** When it is to be read; while somebody reads it, when that reader is taken for dead. */
    due_at: at('due_at').notNull().defaultNow(),
    /** The run that the reader writes: its fencing token. Null while nobody has read it. */
    run_id: uuid('run_id'),
  },
  t => [
    primaryKey({ columns: [t.schedule_id, t.scheduled_for] }),
    index('source_reads_due').on(t.due_at),
    foreignKey({
      columns: [t.project_id, t.schedule_id],
      foreignColumns: [schedules.project_id, schedules.id],
    }).onDelete('cascade'),
  ],
)
