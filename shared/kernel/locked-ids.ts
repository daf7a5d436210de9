// Locks rows in the order of their ids. PostgreSQL locks the rows that an UPDATE or a DELETE changes in the order in
// which its plan finds them: by an index, as they lie on disk, or as a join yields them. Two statements that each lock
// several of the same rows in different orders deadlock.

import type { Fragment, Sql } from 'postgres'

/**
 * An array of the ids that pass the condition, for an UPDATE (`no key update`) or a DELETE (`update`) of these rows: they
 * are locked before the first is changed. On a cluster the condition has to name a project.
 */
export const lockedIds = (
  sql: Sql,
  table: 'claims' | 'runs',
  condition: Fragment,
  strength: 'no key update' | 'update' = 'no key update',
): Fragment =>
  sql`array(select id from ${sql(table)} where ${condition} order by id for ${sql.unsafe(strength)})`
