// Submits the items of a request, by one statement if possible. Guarantee: that of `submitRun`. If one statement cannot
// do all of it, the steps of `submitRun` decide, so callers get errors in the usual order of precedence.

import { openEnv } from '../../accounts/verbs/sealing.ts'
import type { ClaimedItem } from '../../claims/queries/claim.ts'
import { claimOf } from '../../claims/verbs/claim.ts'
import { withSteps } from '../../claims/verbs/recorded-steps.ts'
import type { Context, Places } from '../../context.ts'
import { fault } from '../../kernel/fault.ts'
import { itemRecordId } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { turn } from '../../kernel/pause.ts'
import { type Opened, openRunAtOnce } from '../queries/submission.ts'
import { bytesOf, type Chunk, chunksOf, type NewItem } from '../rules/chunks.ts'
import { SeenIds } from '../rules/item-ids.ts'
import { keyOf, newRun, prepare, type RunOrder, type Submitted, submitChunks } from './submit.ts'

/** An order that writes nothing else in the run's transaction. */
type OwnOrder = Omit<RunOrder, 'together'>

/**
 * Starts a run over the items, by one statement if they fit in one chunk. Otherwise, or if that statement starts no
 * run, `confirm` first checks that the caller may start it. Only the first chunk of a longer submission has been read
 * by then.
 *
 * @throws ApiError like `submitRun`, and whatever `batches` and `confirm` throw
 */
export async function submitItems(
  ctx: Context,
  order: OwnOrder,
  batches: AsyncIterable<readonly NewItem[]>,
  confirm: () => Promise<unknown>,
): Promise<Submitted> {
  const chunks = chunksOf(batches)
  const first = await firstOf(chunks)
  const opened = first.chunk?.last && (await openAtOnce(ctx, order, first.chunk.items))
  if (opened) return opened
  try {
    await confirm()
    return await submitChunks(ctx, order, withFirst(first, chunks))
  } finally {
    await chunks.return() // the code that answers may read the rest of a refused body
  }
}

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

async function openAtOnce(
  ctx: Context,
  order: OwnOrder,
  given: readonly NewItem[],
): Promise<Submitted | undefined> {
  // If models must have prices, a run with its own budget needs a check of those prices first.
  if (order.unpriced === 'refuse' && order.budget_cents !== null) return undefined
  const run = newRun(ctx, order)
  const items = prepared(run.id, given)
  if (items === undefined) return undefined
  const key = await keyOf(order, run.id)
  await fault('submit.before_commit')
  const input_bytes = bytesOf(items)
  const allows_budget = order.unpriced !== 'refuse'
  const places = items.length <= LIMITS.claimed_as_submitted ? ctx.consumer?.reserve(items.length) : undefined
  try {
    const opening = { input_bytes, allows_budget, key, takes: places !== undefined }
    const opened = await openRunAtOnce(ctx.sql, run, items, opening)
    if (opened === undefined) return undefined
    await fault('submit.after_commit')
    if (opened.taken.length < items.length) ctx.notify()
    if (places && opened.run) await give(ctx, places, run, opened.run, opened.taken)
  } finally {
    places?.giveBack()
  }
  return { run_id: run.id, total_items: items.length, first_item: itemRecordId(run.id, 1), repeated: false }
}

/**
 * Gives the claimed items to this process's consumer. If that fails, the caller still gets its answer, and the items
 * are retried when the lease expires.
 */
async function give(
  ctx: Context,
  places: Places,
  run: ReturnType<typeof newRun>,
  { account_id, deployment, prices, ...seen }: NonNullable<Opened['run']>,
  taken: readonly ClaimedItem[],
) {
  try {
    const env = await openEnv(ctx, deployment.env_sealed)
    const items = await withSteps(ctx, { ...run, is_replay: false }, taken, [])
    const under_budget = seen.under_budget || run.budget_micro !== null
    places.fill(
      claimOf(ctx, { ...run, account_id, under_budget, prices, waited_ms: 0 }, deployment, env, items),
    )
    // The agent's request is written before the caller's answer, its log line and its entry in the log of changes.
    await turn()
  } catch (error) {
    ctx.log('warn', 'turn_failed', { run_id: run.id, error: String(error) })
  }
}

/** Prepares the items; undefined if two have the same id. */
function prepared(run_id: string, items: readonly NewItem[]) {
  try {
    return prepare(run_id, 1, items, new SeenIds())
  } catch {
    return undefined
  }
}
