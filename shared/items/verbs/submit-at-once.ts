// Submits items that a request brings. Guarantee: as of `submitRun`, which has the last word: where not all of it can be done
// by one statement, that finds out what is wrong in the order in which callers are told.

import type { Context } from '../../context.ts'
import { fault } from '../../domain/fault.ts'
import { itemRecordId } from '../../domain/ids.ts'
import {
  bytesOf,
  type Chunk,
  chunksOf,
  keyOf,
  newRun,
  prepare,
  type RunOrder,
  type Submitted,
  submitRun,
} from '../../engine/submit.ts'
import { type NewItem, openRunAtOnce } from '../../store/submission.ts'
import { SeenIds } from '../rules/item-ids.ts'

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
    return await submitRun(ctx, order, withFirst(first, chunks))
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

async function* withFirst(first: First, chunks: AsyncGenerator<Chunk>) {
  if (first.error !== undefined) throw first.error
  if (first.chunk) {
    const { items } = first.chunk
    first.chunk = undefined // or it is held until the last one came
    yield items
  }
  for await (const { items } of chunks) yield items
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
  if (!(await openRunAtOnce(ctx.sql, run, items, { input_bytes, allows_budget, key }))) return undefined
  await fault('submit.after_commit')
  ctx.poke()
  return { run_id: run.id, total_items: items.length, first_item: itemRecordId(run.id, 1), repeated: false }
}

/** Undefined where two have the same id. */
function prepared(run_id: string, items: readonly NewItem[]) {
  try {
    return prepare(run_id, 1, items, new SeenIds())
  } catch {
    return undefined
  }
}
