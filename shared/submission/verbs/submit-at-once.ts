// Submits items that a request brings. Guarantee: as of `submitRun`, which has the last word: where not all of it can be done
// by one statement, that finds out what is wrong in the order in which callers are told.

import { openEnv } from '../../accounts/verbs/sealing.ts'
import type { ClaimedItem } from '../../claims/queries/claim.ts'
import { claimOf, withSteps } from '../../claims/verbs/claim.ts'
import type { Context, Places } from '../../context.ts'
import { fault } from '../../kernel/fault.ts'
import { itemRecordId } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type Opened, openRunAtOnce } from '../queries/submission.ts'
import { bytesOf, type Chunk, chunksOf, type NewItem } from '../rules/chunks.ts'
import { SeenIds } from '../rules/item-ids.ts'
import { keyOf, newRun, prepare, type RunOrder, type Submitted, submitChunks } from './submit.ts'

/** Nothing else is written with the run. */
type OwnOrder = Omit<RunOrder, 'together'>

/**
 * Starts a run over the items that come, by one statement where they are few. Otherwise, or where that starts none,
 * `confirm` looks whether the caller may start it before anything else is looked at; of a longer submission no more than
 * its first chunk was read by then.
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
    await chunks.return() // of what was refused the rest may be read by whoever answers
  }
}

/** A chunk, none where there are no items, or why it cannot be read: who may not start a run is told that first. */
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
    first.chunk = undefined // or it is held until the last one came
    yield chunk
  }
  yield* chunks
}

async function openAtOnce(
  ctx: Context,
  order: OwnOrder,
  given: readonly NewItem[],
): Promise<Submitted | undefined> {
  // A budget of the run's own, where models must have prices, asks for a look at those first.
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

/** Hands over what was taken. Its caller is answered whatever happens here: the lease offers the items again. */
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
  } catch (error) {
    ctx.log('warn', 'turn_failed', { run_id: run.id, error: String(error) })
  }
}

/** Undefined where two have the same id. */
function prepared(run_id: string, items: readonly NewItem[]) {
  try {
    return prepare(run_id, 1, items, new SeenIds())
  } catch {
    return undefined
  }
}
