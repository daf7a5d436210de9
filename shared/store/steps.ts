// Reads of traces. Each filter is one condition, so a search combines them freely.

import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Database } from '../context.ts'
import type { Outcome } from '../domain/vocabulary.ts'
import { items, projects, runs, steps } from '../schema/tables.ts'
import type { StepRow } from '../schema/wire.ts'

/** `started_text` is the sort key as the database writes it; a Date would drop its microseconds. */
export type FoundStep = StepRow & { project_id: string; started_text: string }

/** Where a page begins: the last step of the page before. */
export interface StepKey {
  started_text: string
  run_id: string
  seq: number
  step_no: number
}

export interface StepFilter {
  account_id: string
  project_id: string | null
  item_id?: string | undefined
  run_id?: string | undefined
  seq?: number | undefined
  outcome?: Outcome | undefined
  before?: StepKey | undefined
  limit: number
}

/** Steps with their parent item, the most recent first. */
export function listSteps(db: Database, filter: StepFilter): Promise<FoundStep[]> {
  const { before } = filter
  const conditions = [
    eq(projects.account_id, filter.account_id),
    filter.project_id === null ? undefined : eq(runs.project_id, filter.project_id),
    filter.item_id === undefined ? undefined : eq(items.item_id, filter.item_id),
    filter.run_id === undefined ? undefined : eq(steps.run_id, filter.run_id),
    filter.seq === undefined ? undefined : eq(steps.seq, filter.seq),
    filter.outcome === undefined ? undefined : eq(steps.outcome, filter.outcome),
    before &&
      sql`(${steps.started_at}, ${steps.run_id}, ${steps.seq}, ${steps.step_no})
        < (${before.started_text}::timestamptz, ${before.run_id}::uuid, ${before.seq}::int, ${before.step_no}::int)`,
  ]
  return db
    .select({
      ...getTableColumns(steps),
      item_id: items.item_id,
      project_id: runs.project_id,
      started_text: sql<string>`${steps.started_at}::text`,
    })
    .from(steps)
    .innerJoin(items, and(eq(items.run_id, steps.run_id), eq(items.seq, steps.seq)))
    .innerJoin(runs, eq(runs.id, steps.run_id))
    .innerJoin(projects, eq(projects.id, runs.project_id))
    .where(and(...conditions))
    .orderBy(desc(steps.started_at), desc(steps.run_id), desc(steps.seq), desc(steps.step_no))
    .limit(filter.limit)
}
