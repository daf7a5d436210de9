// Copies items into a replay run, with the steps that need not run again. Guarantee: a bounded number of steps is read
// at once, whatever one item recorded, and `reuseOf` alone says which steps are copied.

import {
  type EndedItemRow,
  findEndedItems,
  findStepHeads,
  type StepHeadRow,
} from '../../claims/queries/recorded.ts'
import type { Sql } from '../../context.ts'
import type { StartedBy } from '../../items/vocabulary.ts'
import type { ItemKey, RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { HOLD_KEY } from '../../protocol/rules/protocol.ts'
import { type FirstMakers, firstMakersOf, makerOf } from '../queries/makers.ts'
import { copyItems } from '../queries/replay.ts'
import { addMade, type MadeSteps } from '../rules/makers.ts'
import { type Reuse, type ReuseOrder, reuseOf } from '../rules/reuse.ts'

export interface CopyOrder extends ReuseOrder, RunKey {
  keys: readonly ItemKey[]
  /** Copy only items without a decision, as a cohort does. */
  in_feed: boolean
  /** Replaces the original's input; null keeps it. */
  input: string | null
  /** Who ordered it. */
  by: StartedBy | null
}

/** Appends copies of items to a run that is not open yet. The caller holds the locks of the originals' runs. */
export async function copyWithSteps(
  sql: Sql,
  { reuse, from_step, ...copy }: CopyOrder,
): Promise<{ items: number; made: MadeSteps[] }> {
  const items = await reuseOfItems(sql, copy.keys, { reuse, from_step })
  const lists = { reused: [] as Place[], offered: [] as Place[] }
  items.forEach(({ reuse }, i) => {
    for (const list of ['reused', 'offered'] as const)
      for (const { step_no } of reuse[list]) lists[list].push({ n: i + 1, step_no })
  })
  const copied = await copyItems(sql, { ...copy, keys: items.map(item => item.key), ...lists })
  return {
    items: copied.length,
    made: addMade(
      [],
      copied.flatMap(({ n }) => madeOf(items[n - 1]!)),
    ),
  }
}

interface Place {
  n: number
  step_no: number
}

export interface ItemReuse {
  key: ItemKey
  item: EndedItemRow
  reuse: Reuse<StepHeadRow>
  /** By their keys, what made the steps that it had taken over itself. */
  first: FirstMakers
}

/** What made the steps of an item that are reused whatever happens. */
export const madeOf = ({ item, reuse, first }: ItemReuse): MadeSteps[] =>
  reuse.reused.filter(({ key }) => !HOLD_KEY.test(key)).map(step => makerOf(item, step, first))

/** What a replay of each item reuses; items that no longer exist are left out. */
export async function reuseOfItems(
  sql: Sql,
  keys: readonly ItemKey[],
  order: ReuseOrder,
): Promise<ItemReuse[]> {
  const items = await findEndedItems(sql, keys)
  const steps = await findStepHeads(sql, items)
  const stepsOf = Map.groupBy(steps, step => step.n)
  const firstOf = await firstMakersOf(sql, items, steps)
  return items.map((item, i) => ({
    key: { project_id: item.project_id, run_id: item.run_id, seq: item.seq },
    item,
    reuse: reuseOf(item, stepsOf.get(i + 1) ?? [], order),
    first: firstOf(i + 1),
  }))
}

/** The first items that have at most LIMITS.recovery_chunk_steps steps together; at least one item. */
export async function withinSteps<Item extends ItemKey>(sql: Sql, items: readonly Item[]): Promise<Item[]> {
  if (items.length < 2) return [...items]
  const counts = new Map(
    (await findEndedItems(sql, items)).map(item => [`${item.run_id} ${item.seq}`, item.step_count]),
  )
  let steps = 0
  return items.filter((item, i) => {
    steps += counts.get(`${item.run_id} ${item.seq}`) ?? 0
    return i === 0 || steps <= LIMITS.recovery_chunk_steps
  })
}
