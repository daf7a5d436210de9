// Removes what deleted projects and agents leave behind, and submissions that stopped arriving. Guarantee: it works in
// bounded steps that may be cut off anywhere; nothing is removed while a consumer holds items of it; small runs are
// removed many at a time.

import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { findAbandonedRuns } from '../../submission/queries/submission.ts'
import { giveUp } from '../../submission/verbs/write-chunks.ts'
import * as store from '../queries/removal.ts'

/** Removes a bounded part of what was deleted; returns how many rows it removed. */
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

/** How far each submission is removed, by connection pool: the next sweep does not scan what is gone again. */
const removedTo = new WeakMap<object, Map<string, number>>()

/** Removes a bounded part, whether a submission has ten million lines or one; returns how many submissions it found. */
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
