// Disables schedules whose cron or zone this version cannot read. Guarantee: they stop firing, and `disabled_reason`
// says why.

import type { Sql } from '../../context.ts'
import type { DisabledReason } from '../vocabulary.ts'

export async function disableUnreadable(
  sql: Sql,
  schedules: readonly { schedule_id: string; reason: DisabledReason }[],
): Promise<void> {
  await sql`
    update schedules s set enabled = false, disabled_reason = g.reason, next_at = null, updated_at = now()
    from unnest(${schedules.map(s => s.schedule_id)}::uuid[], ${schedules.map(s => s.reason)}::disabled_reason[])
      as g(schedule_id, reason)
    where s.id = g.schedule_id`
}
