// Work over all projects, one project after another. Guarantee: each statement names its project, so none takes locks of
// two, and where rows are distributed by project each goes to one node.

import type { Fragment, Sql } from 'postgres'
import { LIMITS } from './limits.ts'

/**
 * The projects that `look` selects as `project_id`, in its order: at most LIMITS.projects_per_sweep, the rest next time.
 * A look that finds a project again after its work is done orders at random, so that the rest has its turn.
 */
export async function findProjects(sql: Sql, look: Fragment): Promise<string[]> {
  const rows = await sql<{ project_id: string }[]>`${look} limit ${LIMITS.projects_per_sweep}`
  return rows.map(row => row.project_id)
}

/** At most `limit` rows of the projects that `look` selects. */
export async function findInEach<T>(
  sql: Sql,
  look: Fragment,
  limit: number,
  find: (project_id: string, limit: number) => PromiseLike<readonly T[]>,
): Promise<T[]> {
  const rows: T[] = []
  for (const project_id of await findProjects(sql, look)) {
    if (rows.length >= limit) break
    rows.push(...(await find(project_id, limit - rows.length)))
  }
  return rows
}

/** Changes at most `limit` rows, or a few more, of the projects that `look` selects; returns how many. */
export async function changeInEach(
  sql: Sql,
  look: Fragment,
  limit: number,
  change: (project_id: string, limit: number) => PromiseLike<number>,
): Promise<number> {
  let changed = 0
  for (const project_id of await findProjects(sql, look)) {
    if (changed >= limit) break
    changed += await change(project_id, limit - changed)
  }
  return changed
}

/** Rows by their project, in the order of each project's first row. */
export const byProject = <T extends { project_id: string }>(rows: readonly T[]): Map<string, T[]> =>
  Map.groupBy(rows, row => row.project_id)
