// Submits items that are at hand. Guarantee: as of `submitRun`, which has the last word: where not all of it can be done by
// one statement, that finds out what is wrong in the order in which callers are told.

import type { Context } from '../../context.ts'
import { fault } from '../../domain/fault.ts'
import { itemRecordId } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import {
  bytesOf,
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
 * Starts a run over the items that `read` returns, by one statement where they are few. Otherwise, or where that starts
 * none, `confirm` looks whether the caller may start it before anything else is looked at.
 *
 * @throws ApiError like `submitRun`, and whatever `read` and `confirm` throw
 */
export async function submitItems(
  ctx: Context,
  order: OwnOrder,
  read: () => readonly NewItem[],
  confirm: () => Promise<unknown>,
): Promise<Submitted> {
  const items = readable(read)
  const opened = items && (await openAtOnce(ctx, order, items))
  if (opened) return opened
  await confirm()
  return submitRun(ctx, order, batchOf(items ?? read))
}

/** Undefined where they are refused: who may not start a run is told that first. */
function readable(read: () => readonly NewItem[]) {
  try {
    return read()
  } catch {
    return undefined
  }
}

async function* batchOf(items: readonly NewItem[] | (() => readonly NewItem[])) {
  yield typeof items === 'function' ? items() : items
}

async function openAtOnce(
  ctx: Context,
  order: OwnOrder,
  given: readonly NewItem[],
): Promise<Submitted | undefined> {
  // A budget of the run's own, where models must have prices, asks for a look at those first.
  if (order.unpriced === 'refuse' && order.budget_cents !== null) return undefined
  const run = newRun(ctx, order)
  const items = preparedFew(run.id, given)
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

/** Undefined where they are none, too many for one statement, or two with the same id. */
function preparedFew(run_id: string, items: readonly NewItem[]) {
  const isFew = items.length > 0 && items.length <= LIMITS.insert_chunk_items
  if (!isFew || bytesOf(items) > LIMITS.insert_chunk_bytes) return undefined
  try {
    return prepare(run_id, 1, items, new SeenIds())
  } catch {
    return undefined
  }
}
