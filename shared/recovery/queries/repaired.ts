// Finds which items a replay has repaired, by the verdicts that stand: a replay that people called wrong repaired
// nothing. Guarantee: one statement for a page of items, however many there are, and a bounded number of replays read.

import type { Sql } from '../../context.ts'
import { projectOf, recordId, rowsOfKeys } from '../../items/queries/item-keys.ts'
import type { ItemKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'

/**
 * By record id, the newest item that worked among an item's replays, the replays of those, and so on. Replays are
 * looked up by their keys, as for results (`withReplays`): the planner overestimates how many there are.
 */
export async function findRepaired(sql: Sql, keys: readonly ItemKey[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  const project_id = projectOf(keys)
  const ofProject = sql`project_id = ${project_id}`
  const rows = await sql<{ record_id: string; mended_by: string }[]>`
    with recursive replayed as (
      select ${recordId(sql, 'k')} as record_id, p.run_id, p.seq, 1 as depth
      from ${rowsOfKeys(sql, keys)}
      cross join lateral (
        select run_id, seq from replays where ${ofProject} and from_run_id = k.run_id and from_seq = k.seq offset 0) p
      union all
      select r.record_id, p.run_id, p.seq, r.depth + 1
      from replayed r
      cross join lateral (
        select run_id, seq from replays where ${ofProject} and from_run_id = r.run_id and from_seq = r.seq offset 0) p
      where r.depth < ${LIMITS.lineage_items}
    )
    -- Ids of runs are in the order of time, so the greatest record id is the newest.
    select record_id, max(${recordId(sql, 'r')}::text)::uuid as mended_by
    from (select * from replayed limit ${LIMITS.repairing_replays}) r
    cross join lateral (
      select coalesce((
        select t.corrected from triage t
        where t.project_id = ${project_id} and t.run_id = r.run_id and t.seq = r.seq), outcome) as outcome
      from items where ${ofProject} and run_id = r.run_id and seq = r.seq offset 0) i
    where i.outcome = 'ok' group by record_id`
  return new Map(rows.map(row => [row.record_id, row.mended_by]))
}
