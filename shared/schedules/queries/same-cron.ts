// Finds the schedule that has a cron already, for the error that names it.

import { and, eq } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import { schedules } from '../tables/schedules.ts'
import type { NewSchedule } from './schedules.ts'

/** The agent's schedule with this cron; there is one at most. */
export async function findWithCron(
  db: Database,
  { project_id, agent_id, cron }: Pick<NewSchedule, 'project_id' | 'agent_id' | 'cron'>,
): Promise<{ id: string; name: string | null } | undefined> {
  const { id, name } = schedules
  const [row] = await db
    .select({ id, name })
    .from(schedules)
    .where(
      and(eq(schedules.project_id, project_id), eq(schedules.agent_id, agent_id), eq(schedules.cron, cron)),
    )
  return row
}
