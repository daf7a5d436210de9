// Submits a batch as a run. Guarantee: when the promise resolves, every item is committed. A refused batch of any
// length leaves nothing behind.

import { confirmCaller } from '../../accounts/queries/callers.ts'
import { keptUrl } from '../../accounts/verbs/kept-url.ts'
import { isDistributed } from '../../cluster/queries/distributed.ts'
import type { Context, Places, Sql } from '../../context.ts'
import type { RunStatus, StartedBy } from '../../items/vocabulary.ts'
import { ApiError } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import { itemRecordId, runKeyOf } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { microOf } from '../../prices/rules/pricing.ts'
import { refuseUnpriced } from '../../prices/verbs/prices.ts'
import { findKeyedRun, type KeyedAnswer, takeIdempotencyKey } from '../queries/idempotency-keys.ts'
import { type NewRun, type Opening, openRun } from '../queries/open-run.ts'
import { type Chunk, chunksOf, type NewItem } from '../rules/chunks.ts'
import { SeenIds } from '../rules/item-ids.ts'
import { admitRuns } from './admit.ts'
import { giveClaim } from './give-claim.ts'
import { prepare, writeInChunks } from './write-chunks.ts'

export interface RunOrder {
  project_id: string
  agent_id: string
  name: string | null
  budget_cents: number | null
  concurrency: number | null
  timeout_seconds: number | null
  /** How long it waits for upstreams; null or nothing is the declaration's. */
  patience_seconds?: number | null
  callback_url: string | null
  /** How many items go first, as the pilot; the others follow when these have ended and one was ok. */
  pilot_items?: number | null
  tags?: readonly string[]
  /**
   * How a budget treats models without a price. `refuse` rejects the run if its agent is known to call one; `pause`,
   * the default, pauses the items that call one; `allow` says that the caller knows.
   */
  unpriced?: 'refuse' | 'pause' | 'allow'
  /** Who or what starts it. */
  started_by?: StartedBy
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
  /** Of the run; of an earlier one as it is now. */
  status: RunStatus
}

/** A submission that lost the race for its idempotency key; what it wrote is rolled back. */
class KeyTaken extends Error {}

/**
 * Writes a run and its items and wakes the consumer.
 *
 * One statement does all of it for a batch of one chunk that writes nothing else together with its run. If that statement
 * starts no run, and for all other batches, the steps before it decide, so callers get errors in the usual order of
 * precedence: `confirm` checks that the caller may start the run, then the idempotency key, the account's room and prices
 * are looked at. Only the first chunk of a longer submission has been read by then.
 *
 * @throws ApiError `not_found`, `account_suspended`, `plan_limit`, `quota_exceeded`, `too_many_open_runs`, `no_items`,
 *   `too_many_items`, `duplicate_item_id`, `idempotency_key_reused`, `unpriced_model`, and whatever `batches` and `confirm`
 *   throw.
 */
export async function submitRun(
  ctx: Context,
  order: RunOrder,
  batches: AsyncIterable<readonly NewItem[]>,
  confirm: () => Promise<unknown> = async () => {},
): Promise<Submitted> {
  const chunks = chunksOf(batches)
  try {
    const first = isAlone(order) ? await firstOf(chunks) : {}
    const opened = first.chunk?.last && (await openAtOnce(ctx, order, first.chunk.items))
    if (opened) return opened
    await confirm()
    return await submitInSteps(ctx, order, withFirst(first, chunks))
  } finally {
    await chunks.return() // the code that answers may read the rest of a refused body
  }
}

/**
 * Whether the run is all that the order writes, and may be read before it is admitted: reading from a source costs its
 * sender something. If models must have prices, a run with its own budget needs a check of those prices first.
 */
const isAlone = ({ together, from_source, unpriced, budget_cents }: RunOrder): boolean =>
  together === undefined && !from_source && (unpriced !== 'refuse' || budget_cents === null)

/** The first chunk, if there are items, or its read error: a caller who may not start runs gets that error first. */
type First = { chunk?: Chunk | undefined; error?: unknown }

const firstOf = (chunks: AsyncGenerator<Chunk, void>): Promise<First> =>
  chunks.next().then(
    ({ value }) => ({ chunk: value ?? undefined }),
    error => ({ error }),
  )

async function* withFirst(first: First, chunks: AsyncGenerator<Chunk, void>): AsyncGenerator<Chunk, void> {
  if (first.error !== undefined) throw first.error
  if (first.chunk) {
    const { chunk } = first
    first.chunk = undefined // or it stays in memory until the last chunk has arrived
    yield chunk
  }
  yield* chunks
}

/** Opens the run by the statement that also admits it; undefined if that starts no run. */
async function openAtOnce(ctx: Context, order: RunOrder, given: readonly NewItem[]) {
  const run = await newRun(ctx, order)
  const items = preparedOnce(run.id, given)
  if (items === undefined) return undefined
  const key = await keyOf(order, run.id)
  await fault('submit.before_commit')
  const places = await reservePlaces(ctx, items.length, order.project_id)
  try {
    const allows_budget = order.unpriced !== 'refuse'
    const opening = { items, allows_budget, key, caller: ctx.caller, takes: places !== undefined }
    const opened = await openRun(ctx.sql, run, opening)
    if (opened === undefined) return undefined
    await fault('submit.after_commit')
    if (opened.taken.length < items.length) ctx.notify()
    if (places && opened.run) await giveClaim(ctx, places, run, opened.run, opened.taken)
  } finally {
    places?.giveBack()
  }
  return submitted(run.id, items.length)
}

/** Prepares the items; undefined if two have the same id. */
function preparedOnce(run_id: string, items: readonly NewItem[]) {
  try {
    return prepare(run_id, 1, items, new SeenIds())
  } catch {
    return undefined
  }
}

/**
 * Places for so many items in this process's consumer, if the submission may claim them: without it, an item of a model
 * agent started after 14.1 ms instead of 7.9 (p50 of 50, four rounds in turn). Citus locks no rows in a statement as
 * complex as that.
 */
async function reservePlaces(
  { consumer, sql }: Context,
  items: number,
  project_id: string,
): Promise<Places | undefined> {
  const mayTake = consumer !== undefined && items <= LIMITS.claimed_as_submitted
  return mayTake && !(await isDistributed(sql)) ? consumer.reserve(items, project_id) : undefined
}

async function submitInSteps(
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
  const admitted = await admitRuns(ctx, project_id, agent_id)
  const budget_micro = budgetOf(order)
  if (order.unpriced === 'refuse' && (budget_micro !== null || admitted.under_budget))
    await refuseUnpriced(ctx, { project_id, agent_id }, budget_micro)
  const run = await newRun(ctx, order)
  try {
    const total_items = await writeBatch(ctx, order, run, admitted, chunks)
    await fault('submit.after_commit')
    ctx.notify()
    return submitted(run.id, total_items)
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error
    return answerAgain(order, (await findEarlier(ctx, order))!)
  }
}

/** Writes a batch of one chunk in one transaction, or a longer one chunk by chunk. */
async function writeBatch(
  ctx: Context,
  order: RunOrder,
  run: Awaited<ReturnType<typeof newRun>>,
  admitted: NonNullable<Opening['admitted']>,
  chunks: AsyncGenerator<Chunk, void>,
): Promise<number> {
  const first = (await chunks.next()).value as Chunk | undefined
  if (!first) throw new ApiError('no_items', 'The submission has no items.')
  if (first.last) {
    const items = prepare(run.id, 1, first.items, new SeenIds())
    const key = await keyOf(order, run.id)
    await ctx.sql.begin(async tx => {
      const sql = tx as unknown as Sql
      const opened = await openRun(sql, run, { items, admitted, key, caller: ctx.caller })
      if (opened === undefined) await refuseOpening(sql, ctx)
      await order.together?.(sql, run.id)
      await fault('submit.before_commit')
    })
    return items.length
  }
  await openRun(ctx.sql, run, { items: [], admitted, key: null }) // shown to nobody before its last chunk
  return writeInChunks(ctx, runKeyOf(run), first, chunks, async sql => {
    const key = await keyOf(order, run.id)
    if (key !== null && !(await takeIdempotencyKey(sql, key))) throw new KeyTaken()
    await order.together?.(sql, run.id)
    await confirmCaller(sql, ctx.caller)
  })
}

/** A statement that opened no run lost its caller, or its key to another submission. */
async function refuseOpening(sql: Sql, { caller }: Context): Promise<never> {
  await confirmCaller(sql, caller)
  throw new KeyTaken()
}

const submitted = (run_id: string, total_items: number): Submitted => ({
  run_id,
  total_items,
  first_item: itemRecordId(run_id, 1),
  repeated: false,
  status: 'queued',
})

const budgetOf = ({ budget_cents }: RunOrder) => (budget_cents === null ? null : microOf(budget_cents))

/** The run that an order asks for, without the deployment, which is set when the run is admitted. */
const newRun = async (ctx: Context, order: RunOrder): Promise<Omit<NewRun, 'deployment_id'>> => ({
  id: order.run_id ?? ctx.newRunId(),
  project_id: order.project_id,
  agent_id: order.agent_id,
  name: order.name,
  budget_micro: budgetOf(order),
  allow_unpriced: order.unpriced === 'allow',
  concurrency: order.concurrency,
  timeout_seconds: order.timeout_seconds,
  patience_seconds: order.patience_seconds ?? null,
  callback_url: order.callback_url && (await keptUrl(ctx, order.project_id, order.callback_url)),
  pilot_items: order.pilot_items ?? null,
  tags: order.tags ?? [],
  from_source: order.from_source ?? false,
  started_by: order.started_by ?? null,
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
    status: earlier.status,
  }
}

const keyOf = async ({ project_id, idempotency }: RunOrder, run_id: string) =>
  idempotency && { project_id, key: idempotency.key, fingerprint: await idempotency.fingerprint(), run_id }
