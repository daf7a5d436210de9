// Saved views. Guarantee: a member sees their own views and the shared ones, and nobody else's.

import { and, asc, count, eq, isNull, ne, or, sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { savedViews } from '../tables/saved-views.ts'
import type { SavedViewRow } from '../wire/saved-views.ts'

/** A member in a project. */
export interface Viewer {
  project_id: string
  member_id: string
}

/** Null selects the shared views. */
const isOf = (member_id: string | null) =>
  member_id === null ? isNull(savedViews.member_id) : eq(savedViews.member_id, member_id)

const isSeenBy = ({ project_id, member_id }: Viewer) =>
  and(eq(savedViews.project_id, project_id), or(isOf(member_id), isOf(null)))

/** The views a member sees, by name. */
export function listSavedViews(db: Database, viewer: Viewer): Promise<SavedViewRow[]> {
  return db
    .select()
    .from(savedViews)
    .where(isSeenBy(viewer))
    .orderBy(asc(savedViews.name), asc(savedViews.id))
    .limit(2 * LIMITS.saved_views)
}

export async function findSavedView(db: Database, viewer: Viewer, id: string) {
  const [row] = await db
    .select()
    .from(savedViews)
    .where(and(isSeenBy(viewer), eq(savedViews.id, id)))
  return row
}

/**
 * Counts the project's shared views, or this member's own, except one of this name. Blocks other saves till commit, not
 * by the row of the project: a cluster would lock it on all nodes.
 */
export async function countOtherViews(
  db: Database,
  { project_id, member_id, list, name }: Pick<SavedViewRow, 'project_id' | 'member_id' | 'list' | 'name'>,
) {
  await db.execute(
    sql`select pg_advisory_xact_lock(hashtextextended('assay views ' || ${project_id}::text, 0))`,
  )
  const isAnother = or(ne(savedViews.list, list), ne(savedViews.name, name))
  const [row] = await db
    .select({ n: count() })
    .from(savedViews)
    .where(and(eq(savedViews.project_id, project_id), isOf(member_id), isAnother))
  return row!.n
}

/** A view saved again under its name gets the new query. */
export async function putSavedView(
  db: Database,
  view: typeof savedViews.$inferInsert,
): Promise<SavedViewRow> {
  const { project_id, member_id, list, name } = savedViews
  const [row] = await db
    .insert(savedViews)
    .values(view)
    .onConflictDoUpdate({ target: [project_id, member_id, list, name], set: { query: view.query } })
    .returning()
  return row!
}

export async function deleteSavedView(db: Database, project_id: string, id: string): Promise<void> {
  await db.delete(savedViews).where(and(eq(savedViews.project_id, project_id), eq(savedViews.id, id)))
}
