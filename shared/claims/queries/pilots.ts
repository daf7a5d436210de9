// SQL about runs in their pilot, in which only their first items are offered.

import type { Sql } from '../../context.ts'
import { changeInEach } from '../../kernel/each-project.ts'

const IN_PLAN = 'least(r.total_items, r.pilot_items)'

/** How many items run `r` offers: all of them, or in its pilot the first ones; none more while it waits for an upstream. */
export const OFFERED_ITEMS = `case when r.waits_for is null then ${IN_PLAN} else r.next_seq - 1 end`

/** How many items of run `r` may still begin in its pilot; null if it is not in one. */
export const pilotLeft = (ended: string) => `(r.pilot_items - r.running - r.paused - ${ended})`
export const PILOT_LEFT = pilotLeft('ended_items(r)')

const PILOT_IS_OVER = `r.pilot_items is not null and r.finished_at is null and r.stop_reason is null and not r.materializing
  and r.running = 0 and ended_items(r) + r.paused >= ${IN_PLAN} and (r.ok > 0 or r.paused = 0)`

/**
 * Offers all items of runs whose pilot has ended with an ok item, and stops runs whose pilot had none; returns how
 * many. Items that wait for a person or for money keep a run in its pilot only as long as none was ok.
 */
export function endPilots(sql: Sql, limit: number): Promise<number> {
  const look = sql`
    select project_id from runs r where ${sql.unsafe(PILOT_IS_OVER)} group by 1 order by random()`
  return changeInEach(sql, look, limit, async (project_id, limit) => {
    const { count } = await sql`
      with ended as (
        select r.id, r.ok > 0 as passed from runs r where r.project_id = ${project_id} and ${sql.unsafe(PILOT_IS_OVER)}
        limit ${limit} for no key update skip locked
      )
      update runs r set touched_at = now(), pilot_items = case when passed then null else r.pilot_items end,
        stop_reason = case when passed then null else 'pilot_failed'::stop_reason end
      from ended where r.project_id = ${project_id} and r.id = ended.id`
    return count
  })
}
