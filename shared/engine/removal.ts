// Removes what deleted projects and agents leave behind. Guarantee: bounded steps that may be cut off anywhere;
// nothing is removed under a consumer that still holds items of it.

import type { Context } from '../context.ts'
import { LIMITS } from '../domain/limits.ts'
import * as store from '../store/removal.ts'

/** Does a bounded part of it; returns how many rows went. */
export async function removeDeleted(ctx: Context): Promise<number> {
  const { sql } = ctx
  await store.cancelDeletedRuns(sql, LIMITS.open_runs_per_look)
  let removed = 0
  let steps: number = LIMITS.removals_per_sweep
  for (const run of await store.findDeletedRuns(sql, LIMITS.open_runs_per_look)) {
    for (let more = true; more && steps > 0; steps--) {
      const rows = await store.removeRunRows(sql, run, LIMITS.sweep_items)
      removed += rows
      more = rows > 0
      if (!more) removed += await store.removeRun(sql, run)
    }
    if (steps === 0) return removed
  }
  return removed + (await store.removeEmptied(sql, LIMITS.open_runs_per_look))
}
