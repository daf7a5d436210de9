// Finds recoveries that a step can advance. Guarantee: recoveries that only wait for their runs never keep others from being
// found, however many they are.

import type { Sql } from '../../context.ts'
import type { RecoveryKey } from './recoveries.ts'

/** Oldest first. A recovery whose own runs, or whose pilot's, are still open has no step to take. */
export async function findOpenRecoveries(sql: Sql, limit: number) {
  return sql<RecoveryKey[]>`
    select project_id, id from recoveries q where finished_at is null and not exists (
      select from runs r where r.project_id = q.project_id and r.finished_at is null
        and r.id = any(case q.status when 'running' then q.run_ids when 'pilot' then q.pilot_run_ids end)
    ) order by id limit ${limit}`
}
