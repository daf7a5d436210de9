// Runs in their pilot: only so many of their first items are offered.

import { asked, projectsToAsk } from '../../cluster/queries/distributed.ts'
import type { Reachable } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'

/** Of run `r`, the items that are offered: all of them, or in its pilot the first ones. */
export const OFFERED_ITEMS = 'least(r.total_items, r.pilot_items)'

/** Of run `r` in its pilot, how many items may still begin; null of any other run. */
export const pilotLeft = (ended: string) => `(r.pilot_items - r.running - r.paused - ${ended})`
export const PILOT_LEFT = pilotLeft('ended_items(r)')

const PILOT_IS_OVER = `r.pilot_items is not null and r.finished_at is null and r.stop_reason is null and not r.materializing
  and r.running = 0 and ended_items(r) + r.paused >= ${OFFERED_ITEMS} and (r.ok > 0 or r.paused = 0)`

/**
 * Offers all of runs whose first items have ended with one that is ok, and stops those of which none was. What waits for
 * a person or for money keeps a run in its pilot only as long as nothing was ok.
 */
export async function endPilots(sql: Sql, limit: number): Promise<number> {
  const look = (of: Reachable) =>
    sql`select distinct project_id from runs r where ${sql.unsafe(PILOT_IS_OVER)} ${of('r')}`
  let ended = 0
  for (const project of await projectsToAsk(sql, look)) {
    if (ended >= limit) break
    const of = asked(sql, 'r', project)
    const { count } = await sql`
      with ended as (
        select r.id, r.ok > 0 as passed from runs r where ${sql.unsafe(PILOT_IS_OVER)} ${of}
        limit ${limit - ended} for no key update skip locked
      )
      update runs r set touched_at = now(), pilot_items = case when passed then null else r.pilot_items end,
        stop_reason = case when passed then null else 'pilot_failed'::stop_reason end
      from ended where r.id = ended.id ${of}`
    ended += count
  }
  return ended
}
