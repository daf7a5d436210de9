// Writes the chunks of a batch that is longer than one, and removes what is left of a submission that was given up.
// Guarantee: a process that dies midway leaves only a run that is still materializing: it is never dispatched, and the
// tick removes it.

import type { Context, Sql } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import { itemRecordId, type RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { IdentifiedItem } from '../queries/open-run.ts'
import * as store from '../queries/submission.ts'
import { bytesOf, type Chunk, type NewItem } from '../rules/chunks.ts'
import { interleavePartitions } from '../rules/interleave-partitions.ts'
import { duplicateIds, type RepeatedId, SeenIds } from '../rules/item-ids.ts'

/**
 * Writes a batch under a run that is materializing, chunk by chunk, because a transaction as long as an upload would keep
 * PostgreSQL from cleaning up; opens the run in a transaction with `together`. Returns how many items it has.
 */
export async function writeInChunks(
  ctx: Context,
  run: RunKey,
  first: Chunk,
  chunks: AsyncGenerator<Chunk, void>,
  together: (sql: Sql) => Promise<void>,
): Promise<number> {
  const ids = new SeenIds()
  try {
    const { firstSeqs, ...size } = await writeChunks(ctx, run, first, chunks, ids)
    await ctx.sql.begin(async tx => {
      const sql = tx as unknown as Sql
      if (ids.overflowed) await refuseRepeatedIds(sql, run)
      await together(sql)
      if (!(await store.finishMaterializing(sql, run, size))) throw givenUp()
      if (!(await store.areWritten(sql, run, firstSeqs))) throw lost()
      await fault('submit.before_commit')
    })
    return size.total_items
  } catch (error) {
    await giveUp(ctx, run).catch(() => {}) // the tick continues the removal; the caller gets the original error
    throw error
  }
}

/** Inserts chunks, a bounded number in flight while the next is read; returns the size and the first seq of each. */
async function writeChunks(
  ctx: Context,
  run: RunKey,
  first: Chunk,
  chunks: AsyncGenerator<Chunk>,
  ids: SeenIds,
): Promise<store.BatchSize & { firstSeqs: number[] }> {
  const inFlight = new Set<Promise<void>>()
  const firstSeqs: number[] = []
  const failures: unknown[] = []
  let [nextSeq, bytes] = [1, 0]
  let touchedAt = ctx.now()
  async function write(chunk: Chunk): Promise<void> {
    const items = prepare(run.run_id, nextSeq, chunk.items, ids)
    const firstSeq = nextSeq
    firstSeqs.push(firstSeq)
    nextSeq += items.length
    bytes += bytesOf(items)
    if (nextSeq - 1 > LIMITS.items_per_run)
      throw new ApiError(
        'too_many_items',
        `A run takes at most ${LIMITS.items_per_run} items; split the file.`,
      )
    const insert = store
      .insertChunk(ctx.sql, run, firstSeq, items)
      .then(count => {
        if (count === 0) throw givenUp()
      })
      .finally(() => inFlight.delete(insert))
    insert.catch(error => failures.push(error)) // an insert may fail while the next chunk is being read
    inFlight.add(insert)
    if (inFlight.size >= LIMITS.inserts_in_flight) await Promise.race(inFlight)
    if (failures.length > 0) throw failures[0]
    if (ctx.now() - touchedAt > LIMITS.materializing_touch_ms) {
      touchedAt = ctx.now()
      await store.touchMaterializing(ctx.sql, run)
    }
  }
  try {
    await write(first)
    for await (const chunk of chunks) await write(chunk)
    await Promise.all(inFlight)
    if (failures.length > 0) throw failures[0]
  } finally {
    // The cleanup after a failure must not run before an insert that is still in flight.
    await Promise.allSettled(inFlight)
  }
  return { total_items: nextSeq - 1, input_bytes: bytes, firstSeqs }
}

const givenUp = () =>
  new ApiError('invalid_request', 'The submission took too long to arrive and was given up.')

const lost = () =>
  new ApiError('store_unreachable', 'PostgreSQL lost a part of it: nothing was accepted.', 'Send it again.')

async function refuseRepeatedIds(sql: Sql, run: RunKey): Promise<void> {
  const repeated = await store.findRepeatedIds(sql, run, LIMITS.bad_lines_named)
  if (repeated.length > 0) throw duplicateIds(repeated)
}

/**
 * Removes a run that never opened, in bounded steps, while `mayGoOn` allows; if this process dies too, the tick
 * continues. Returns null when all of it is gone, else the seq of the item to continue after.
 */
export async function giveUp(
  ctx: Context,
  run: RunKey,
  after?: number,
  mayGoOn?: () => boolean,
): Promise<number | null> {
  // Close it first: a sender that was only slow must not open a run whose items are being removed.
  await store.closeMaterializing(ctx.sql, run)
  const left = await store.deleteItems(ctx.sql, run, LIMITS.sweep_items, after, mayGoOn)
  if (left === null) await store.deleteMaterializingRun(ctx.sql, run)
  return left
}

/** Interleaves a chunk's partitions and gives an id to items that have none. @throws ApiError `duplicate_item_id` */
export function prepare(
  runId: string,
  firstSeq: number,
  items: readonly NewItem[],
  ids: SeenIds,
): IdentifiedItem[] {
  const repeated: RepeatedId[] = []
  for (const item of items) {
    if (item.item_id === null) continue
    const line = ids.add(item.item_id, item.line)
    if (line !== undefined && repeated.length < LIMITS.bad_lines_named)
      repeated.push({ item_id: item.item_id, first_line: line, second_line: item.line })
  }
  if (repeated.length > 0) throw duplicateIds(repeated)
  return interleavePartitions(items).map((item, i) =>
    item.item_id === null
      ? { ...item, item_id: itemRecordId(runId, firstSeq + i) }
      : (item as IdentifiedItem),
  )
}
