// Removes what deleted projects and agents leave behind, and submissions that stopped arriving. Guarantee: bounded steps that may be cut off anywhere;
// nothing is removed under a consumer that still holds items of it, and small runs go many at a time.

import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { findAbandonedRuns } from '../../submission/queries/submission.ts'
import { giveUp } from '../../submission/verbs/submit.ts'
import * as store from '../queries/removal.ts'

/** Does a bounded part of it; returns how many rows went. */
export async function removeDeleted(ctx: Context): Promise<number> {
  const { sql } = ctx
  await store.cancelDeletedRuns(sql, LIMITS.open_runs_per_look)
  const began_ms = ctx.now()
  for (let removed = 0; ; ) {
    const runs = await store.findDeletedRuns(sql, LIMITS.runs_removed, LIMITS.sweep_items)
    if (runs === undefined) return removed + (await store.removeEmptied(sql, LIMITS.open_runs_per_look))
    for (let rows = 1; rows > 0; removed += rows) {
      if (sinceMs(ctx.now(), began_ms) >= LIMITS.removal_ms) return removed
      rows = await store.removeRunRows(sql, runs, LIMITS.sweep_items)
    }
    removed += await store.removeRuns(sql, runs)
  }
}

/** How far each submission is removed, by host: what is gone is not looked over again in the next sweep. */
const removedTo = new WeakMap<object, Map<string, number>>()

/** Does a bounded part of it, of ten million lines as of one; returns how many submissions it found. */
export async function removeAbandoned(ctx: Context): Promise<number> {
  const { materializing_idle_minutes, open_runs_per_look, removal_ms } = LIMITS
  const runs = await findAbandonedRuns(ctx.sql, materializing_idle_minutes, open_runs_per_look)
  const before = removedTo.get(ctx.sql)
  const reached = new Map<string, number>()
  removedTo.set(ctx.sql, reached)
  const began_ms = ctx.now()
  const mayGoOn = () => sinceMs(ctx.now(), began_ms) < removal_ms
  for (const run of runs) {
    const left = await giveUp(ctx, run, before?.get(run.run_id), mayGoOn)
    if (left !== null) reached.set(run.run_id, left)
  }
  return runs.length
}
