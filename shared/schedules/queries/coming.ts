// Reads the next fire times of schedules, and moves them back. Guarantee: a fire time that was acted on or moved since it
// was read stays as it is.

import type { Sql } from '../../context.ts'
import { byProject, findInEach } from '../../kernel/each-project.ts'

export interface ComingSchedule {
  id: string
  project_id: string
  cron: string
  timezone: string
  next_at: Date
  now: Date
}

/** Schedules whose next fire time is to come, in random order: more than are read at once get their turn. */
export function findComing(sql: Sql, limit: number): Promise<ComingSchedule[]> {
  const look = sql`select project_id from schedules where next_at > now() group by 1 order by random()`
  return findInEach(
    sql,
    look,
    limit,
    (project_id, limit) => sql<ComingSchedule[]>`
      select id, project_id, cron, timezone, next_at, now() as now from schedules
      where project_id = ${project_id} and next_at > now() order by random() limit ${limit}`,
  )
}

/** Returns how many were moved. */
export async function moveBack(
  sql: Sql,
  moved: readonly { id: string; project_id: string; was: Date; next_at: Date }[],
): Promise<number> {
  let count = 0
  for (const [project_id, own] of byProject(moved)) {
    const rows = own.map(({ id, was, next_at }) => ({
      id,
      was: was.toISOString(),
      next_at: next_at.toISOString(),
    }))
    const result = await sql`
      update schedules s set next_at = g.next_at
      from jsonb_to_recordset(${sql.json(rows)}) as g(id uuid, was timestamptz, next_at timestamptz)
      where s.project_id = ${project_id} and s.id = g.id and date_trunc('milliseconds', s.next_at) = g.was`
    count += result.count
  }
  return count
}
