// Writes the chunks of a batch that is longer than one, under a run that is materializing until all are written, and
// removes what a submission left that was given up.

import type { Sql } from '../../context.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { numbers } from '../../kernel/packed-columns.ts'
import type { RepeatedId } from '../rules/item-ids.ts'
import { type IdentifiedItem, insertItems } from './open-run.ts'

export interface BatchSize {
  total_items: number
  /** Size of all inputs in characters, which is near enough: claims are sized by it. */
  input_bytes: number
}

/**
 * Appends items from `firstSeq` on, with a commit that does not wait for the disk; returns their number, 0 if the run was
 * given up. The commit that opens the run comes later in PostgreSQL's log, so it waits for both. If PostgreSQL dies before
 * that, the chunk is lost while its sender may continue: `areWritten` finds that out.
 */
export async function insertChunk(
  sql: Sql,
  { project_id, run_id }: RunKey,
  firstSeq: number,
  items: readonly IdentifiedItem[],
): Promise<number> {
  const result = await sql`
    with unawaited as materialized (select set_config('synchronous_commit', 'off', true)), open as (
      select id, project_id from runs, unawaited
      where project_id = ${project_id} and id = ${run_id} and stop_reason is null for share of runs
    )
    ${insertItems(sql, sql`open`, items, { firstSeq })}`
  return result.count
}

/**
 * Whether every chunk is stored; its first item shows that, since a chunk is committed as a whole. Each is looked up by
 * itself: PostgreSQL before 17 would read the whole run, and the list again for each row, 20 s for a million items.
 */
export async function areWritten(
  sql: Sql,
  { project_id, run_id }: RunKey,
  firstSeqs: readonly number[],
): Promise<boolean> {
  const [row] = await sql<{ found: number }[]>`
    select count(*)::int as found from unnest(${numbers(firstSeqs)}::text::int[]) as s(seq), lateral (
      select 1 from items i where i.project_id = ${project_id} and i.run_id = ${run_id} and i.seq = s.seq limit 1
    ) there`
  return row!.found === firstSeqs.length
}

/** Shows the tick that the submission is still arriving. */
export async function touchMaterializing(sql: Sql, { project_id, run_id }: RunKey): Promise<void> {
  await sql`update runs set touched_at = now() where project_id = ${project_id} and id = ${run_id} and materializing`
}

/** Opens the run for dispatch; false when it was given up in the meantime. */
export async function finishMaterializing(
  sql: Sql,
  { project_id, run_id }: RunKey,
  size: BatchSize,
): Promise<boolean> {
  const result = await sql`
    update runs set ${sql({ ...size })}, materializing = false, touched_at = now()
    where project_id = ${project_id} and id = ${run_id} and materializing and stop_reason is null`
  return result.count === 1
}

/** Gives a submission up: no more items are added and it is never opened. Waits for chunks in flight. */
export async function closeMaterializing(sql: Sql, { project_id, run_id }: RunKey): Promise<void> {
  await sql`update runs set stop_reason = 'cancelled' where project_id = ${project_id} and id = ${run_id} and materializing`
}

export async function findRepeatedIds(sql: Sql, { project_id, run_id }: RunKey, limit: number) {
  return sql<RepeatedId[]>`
    select item_id, min(line) as first_line, (array_agg(line order by line))[2] as second_line
    from items where project_id = ${project_id} and run_id = ${run_id} group by item_id having count(*) > 1
    order by 2 limit ${limit}`.timeout(LIMITS.store_long_ms / 1000)
}

/**
 * Removes the items of a run that was given up, `piece` of them per statement, while `mayGoOn` allows. Returns null
 * when all are gone, else the seq to continue after: scanning ten million deleted rows again takes seconds.
 */
export async function deleteItems(
  sql: Sql,
  run: RunKey,
  piece: number,
  after = 0,
  mayGoOn = () => true,
): Promise<number | null> {
  for (let last = after; mayGoOn(); ) {
    const next = await deleteAfter(sql, run, last, piece)
    if (next === null && last === 0) return null
    last = next ?? 0 // then once more from the first on, for a chunk that was still in flight
    after = last
  }
  return after
}

/**
 * Deletes the next items; returns the seq of the last one, null if there was none. It uses bounds: PostgreSQL has no
 * statistics of a new run, expects few items, and compared each with all chosen ones, before version 17 also with those
 * of an array: 20 s and more for a piece of 300,000.
 */
async function deleteAfter(sql: Sql, { project_id, run_id }: RunKey, seq: number, limit: number) {
  const [row] = await sql<{ last: number | null }[]>`
    with chosen as materialized (
      select seq from items where project_id = ${project_id} and run_id = ${run_id} and seq > ${seq}
      order by seq limit ${limit}
    ), gone as (
      delete from items where project_id = ${project_id} and run_id = ${run_id} and seq > ${seq} and seq <= (select max(seq) from chosen)
    )
    select max(seq) as last from chosen`
  return row!.last
}

export async function deleteMaterializingRun(sql: Sql, { project_id, run_id }: RunKey): Promise<void> {
  await sql`delete from runs where project_id = ${project_id} and id = ${run_id} and materializing`
}

/** Runs whose submission stopped arriving: their sender is gone. */
export async function findAbandonedRuns(sql: Sql, idleMinutes: number, limit: number) {
  return sql<RunKey[]>`
    select project_id, id as run_id from runs
    -- An interrupted recovery continues with its run, so that run is not abandoned.
    where finished_at is null and materializing and recovery_id is null and touched_at < now() - make_interval(mins => ${idleMinutes})
    limit ${limit}`
}
