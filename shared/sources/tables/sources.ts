// The queue of source reads. Guarantee: one reader at a time reads an occurrence, and only the reader whose run the row
// names may open that run.

import { foreignKey, index, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { at } from '../../kernel/column-types.ts'
import { schedules } from '../../schedules/tables/schedules.ts'

/** An occurrence whose items must still be read; the row is deleted with the outcome. Callers cannot read the table. */
export const sourceReads = pgTable(
  'source_reads',
  {
    schedule_id: uuid('schedule_id').notNull(),
    scheduled_for: at('scheduled_for').notNull(),
    project_id: uuid('project_id').notNull(),
    /** When it is due to be read; while a reader holds it, when the lease of that reader ends. */
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
