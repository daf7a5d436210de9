// Submits a batch as a run. Guarantee: when the promise resolves, every item is committed. A refused batch of any
// length leaves nothing behind. A process that dies midway leaves only a run that is still materializing: it is never
// dispatched, and the tick removes it.

import type { Context, Sql } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import { itemRecordId, type RunKey, runKeyOf } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { microOf } from '../../prices/rules/pricing.ts'
import { refuseUnpriced } from '../../prices/verbs/prices.ts'
import { findKeyedRun, type KeyedAnswer, takeIdempotencyKey } from '../queries/idempotency-keys.ts'
import * as store from '../queries/submission.ts'
import { bytesOf, type Chunk, chunksOf, type NewItem } from '../rules/chunks.ts'
import { interleavePartitions } from '../rules/interleave-partitions.ts'
import { duplicateIds, type RepeatedId, SeenIds } from '../rules/item-ids.ts'
import { admitRuns } from './admit.ts'

export interface RunOrder {
  project_id: string
  agent_id: string
  name: string | null
  budget_cents: number | null
  concurrency: number | null
  timeout_seconds: number | null
  callback_url: string | null
  /** How many items go first, as the pilot; the others follow when these have ended and one was ok. */
  pilot_items?: number | null
  tags?: readonly string[]
  /**
   * How a budget treats models without a price. `refuse` rejects the run if its agent is known to call one; `pause`,
   * the default, pauses the items that call one; `allow` says that the caller knows.
   */
  unpriced?: 'refuse' | 'pause' | 'allow'
  /** The run's id, if it was chosen before. */
  run_id?: string
  /** Its items are read from a source: the run is hidden until the source was read to its end without an error. */
  from_source?: boolean
  /** `fingerprint` is called after the last item was read, since it may be a hash of the streamed body. */
  idempotency: { key: string; fingerprint: () => Promise<string> } | null
  /** Runs in the transaction that opens the run; if it throws, both are rolled back. */
  together?: (sql: Sql, run_id: string) => Promise<void>
}

export interface Submitted {
  run_id: string
  total_items: number
  /** Record id of the first item. */
  first_item: string
  /** An earlier submission with the same idempotency key started the run. */
  repeated: boolean
}

/** A submission that lost the race for its idempotency key; what it wrote is rolled back. */
class KeyTaken extends Error {}

/**
 * Writes a run and its items and wakes the consumer.
 *
 * A batch that fits in one chunk is one transaction. A longer one is committed chunk by chunk under a run that is
 * still `materializing`, because a transaction as long as an upload would keep PostgreSQL from cleaning up.
 *
 * @throws ApiError `not_found`, `account_suspended`, `plan_limit`, `quota_exceeded`, `too_many_open_runs`, `no_items`,
 *   `too_many_items`, `duplicate_item_id`, `idempotency_key_reused`, `unpriced_model`, and whatever `batches` throws.
 */
export const submitRun = (ctx: Context, order: RunOrder, batches: AsyncIterable<readonly NewItem[]>) =>
  submitChunks(ctx, order, chunksOf(batches))

/** Like `submitRun`, for items that are in chunks already. */
export async function submitChunks(
  ctx: Context,
  order: RunOrder,
  chunks: AsyncGenerator<Chunk, void>,
): Promise<Submitted> {
  const earlier = await findEarlier(ctx, order)
  if (earlier) {
    // The fingerprint needs the whole body; a run from a source has none.
    if (!order.from_source) for await (const _ of chunks);
    return answerAgain(order, earlier)
  }
  const { project_id, agent_id } = order
  const { deployment_id, under_budget } = await admitRuns(ctx, project_id, agent_id)
  const budget_micro = budgetOf(order)
  if (order.unpriced === 'refuse' && (budget_micro !== null || under_budget))
    await refuseUnpriced(ctx, { project_id, agent_id }, budget_micro)
  const run = { ...newRun(ctx, order), deployment_id }
  try {
    const total_items = await writeBatch(ctx, order, run, chunks)
    await fault('submit.after_commit')
    ctx.notify()
    return { run_id: run.id, total_items, first_item: itemRecordId(run.id, 1), repeated: false }
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error
    return answerAgain(order, (await findEarlier(ctx, order))!)
  }
}

export const budgetOf = ({ budget_cents }: RunOrder) => (budget_cents === null ? null : microOf(budget_cents))

/** The run that an order asks for, without the deployment, which is set when the run is admitted. */
export const newRun = (ctx: Context, order: RunOrder): Omit<store.NewRun, 'deployment_id'> => ({
  id: order.run_id ?? ctx.newRunId(),
  project_id: order.project_id,
  agent_id: order.agent_id,
  name: order.name,
  budget_micro: budgetOf(order),
  allow_unpriced: order.unpriced === 'allow',
  concurrency: order.concurrency,
  timeout_seconds: order.timeout_seconds,
  callback_url: order.callback_url,
  pilot_items: order.pilot_items ?? null,
  tags: order.tags ?? [],
  from_source: order.from_source ?? false,
})

async function findEarlier(ctx: Context, { project_id, idempotency }: RunOrder) {
  if (!idempotency) return undefined
  return findKeyedRun(ctx.sql, project_id, idempotency.key, LIMITS.idempotency_window_hours)
}

async function answerAgain(order: RunOrder, earlier: KeyedAnswer): Promise<Submitted> {
  if (earlier.fingerprint !== (await order.idempotency!.fingerprint()))
    throw new ApiError(
      'idempotency_key_reused',
      `Idempotency key ${order.idempotency!.key} already started run ${earlier.run_id} with another body.`,
      'Use a new key for a new submission.',
    )
  return {
    run_id: earlier.run_id,
    total_items: earlier.total_items,
    first_item: itemRecordId(earlier.run_id, 1),
    repeated: true,
  }
}

type IdentifiedItem = NewItem & { item_id: string }

async function writeBatch(ctx: Context, order: RunOrder, run: store.NewRun, chunks: AsyncGenerator<Chunk>) {
  const first = (await chunks.next()).value as Chunk | undefined
  if (!first) throw new ApiError('no_items', 'The submission has no items.')
  const ids = new SeenIds()
  if (first.last) {
    await writeAtOnce(ctx, order, run, prepare(run.id, 1, first.items, ids))
    return first.items.length
  }
  await store.insertRun(ctx.sql, run)
  const key = runKeyOf(run)
  try {
    const { firstSeqs, ...size } = await writeChunks(ctx, key, first, chunks, ids)
    await ctx.sql.begin(async tx => {
      const sql = tx as unknown as Sql
      if (ids.overflowed) await refuseRepeatedIds(sql, key)
      await takeKey(sql, order, run.id)
      await order.together?.(sql, run.id)
      if (!(await store.finishMaterializing(sql, key, size))) throw givenUp()
      if (!(await store.areWritten(sql, key, firstSeqs))) throw lost()
      await fault('submit.before_commit')
    })
    return size.total_items
  } catch (error) {
    await giveUp(ctx, key).catch(() => {}) // the tick continues the removal; the caller gets the original error
    throw error
  }
}

/** Writes a batch of one chunk in one transaction, whose statements are sent without waiting for each other. */
async function writeAtOnce(
  ctx: Context,
  order: RunOrder,
  run: store.NewRun,
  items: readonly IdentifiedItem[],
) {
  await ctx.sql.begin(async tx => {
    const sql = tx as unknown as Sql
    await Promise.all([
      store.insertRun(sql, run, { total_items: items.length, input_bytes: bytesOf(items) }),
      store.insertItems(sql, runKeyOf(run), 1, items),
      takeKey(sql, order, run.id),
      order.together?.(sql, run.id),
    ])
    await fault('submit.before_commit')
  })
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

async function takeKey(sql: Sql, order: RunOrder, run_id: string): Promise<void> {
  const key = await keyOf(order, run_id)
  if (key !== null && !(await takeIdempotencyKey(sql, key))) throw new KeyTaken()
}

export const keyOf = async ({ project_id, idempotency }: RunOrder, run_id: string) =>
  idempotency && { project_id, key: idempotency.key, fingerprint: await idempotency.fingerprint(), run_id }

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
export function prepare(runId: string, firstSeq: number, items: readonly NewItem[], ids: SeenIds) {
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
