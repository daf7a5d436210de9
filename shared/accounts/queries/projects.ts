// Accounts' projects. A project and its usage row are made and removed together.

import { and, asc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import { budgetColumns } from '../../prices/queries/budgets.ts'
import { projects, projectUsage } from '../tables/projects.ts'
import type { ProjectRow } from '../wire/account.ts'

/** Of all projects, or of one, which is named then. */
const columnsOf = (project_id: string | null) => ({
  id: projects.id,
  account_id: projects.account_id,
  name: projects.name,
  settings: projects.settings,
  credit_micro: projects.credit_micro,
  created_at: projects.created_at,
  updated_at: projects.updated_at,
  running: projectUsage.running,
  spent_micro: projectUsage.spent_micro,
  ...budgetColumns(sql`null`, project_id === null ? undefined : sql`${project_id}::uuid`),
})

/** The account's projects, or one of them, oldest first. */
export function listProjects(
  db: Database,
  account_id: string,
  project_id: string | null,
): Promise<ProjectRow[]> {
  return db
    .select(columnsOf(project_id))
    .from(projects)
    .innerJoin(projectUsage, eq(projectUsage.project_id, projects.id))
    .where(
      and(eq(projects.account_id, account_id), project_id === null ? undefined : eq(projects.id, project_id)),
    )
    .orderBy(asc(projects.id))
}

/** The projects that a caller's list reads, oldest first; `scopeOf` has checked access to the one they name. */
export async function projectIdsOf(
  db: Database,
  { account_id, project_id }: { account_id: string; project_id: string | null },
): Promise<string[]> {
  if (project_id !== null) return [project_id]
  const rows = await db
    .select({ id: projects.id })
    .from(projects)
    .where(eq(projects.account_id, account_id))
    .orderBy(asc(projects.id))
  return rows.map(row => row.id)
}

/**
 * The projects in which to look for a row by its id, one after another; undefined means in all at once. `own` is the
 * only project that the caller may see; null if it may see all of the account. On a cluster a project is on one node.
 */
export function* placesOf(own: string | null): Generator<string | undefined> {
  if (own !== null) yield own
  yield undefined
}

export async function findProject(
  db: Database,
  account_id: string,
  id: string,
): Promise<ProjectRow | undefined> {
  const [row] = await listProjects(db, account_id, id)
  return row
}

export async function insertProject(db: Database, project: typeof projects.$inferInsert): Promise<void> {
  await db.transaction(async tx => {
    await tx.insert(projects).values(project)
    await tx.insert(projectUsage).values({ project_id: project.id })
  })
}

export interface StoredChanges {
  name: string | undefined
  credit_micro: number | null | undefined
  /** A null removes a setting. */
  settings: object
}

export async function updateProject(db: Database, id: string, changes: StoredChanges): Promise<void> {
  const { name, credit_micro, settings } = changes
  await db
    .update(projects)
    .set({
      ...(name !== undefined && { name }),
      ...(credit_micro !== undefined && { credit_micro }),
      // Settings hold no nested nulls.
      settings: sql`jsonb_strip_nulls(${projects.settings} || ${JSON.stringify(settings)}::text::jsonb)`,
      updated_at: sql`now()`,
    })
    .where(eq(projects.id, id))
}

/** Removes a project from its account: no query finds it any more, and its keys are dead. */
export async function detachProject(db: Database, id: string): Promise<void> {
  await db.update(projects).set({ account_id: null, updated_at: sql`now()` }).where(eq(projects.id, id))
}
