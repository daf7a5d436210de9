// Disables schedules whose cron or zone this version cannot read. Guarantee: they stop firing, and `disabled_reason`
// says why.

import type { Sql } from '../../context.ts'
import { byProject } from '../../kernel/each-project.ts'
import type { DisabledReason } from '../vocabulary.ts'

export async function disableUnreadable(
  sql: Sql,
  schedules: readonly { project_id: string; schedule_id: string; reason: DisabledReason }[],
): Promise<void> {
  for (const [project_id, own] of byProject(schedules))
    await sql`
      update schedules s set enabled = false, disabled_reason = g.reason, next_at = null, updated_at = now()
      from unnest(${own.map(s => s.schedule_id)}::uuid[], ${own.map(s => s.reason)}::disabled_reason[])
        as g(schedule_id, reason)
      where s.project_id = ${project_id} and s.id = g.schedule_id`
}
