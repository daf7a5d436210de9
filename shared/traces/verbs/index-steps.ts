// Keeps the search index of steps up with what runs write.

import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { indexSteps, isWorkUnderWay } from '../queries/step-index.ts'

/** Before a search: what was just written is found. A long backlog is left to the tick. */
export async function catchUpSearch(ctx: Context): Promise<void> {
  await indexSteps(ctx.sql, LIMITS.search_catch_up_steps)
}

/** When a host last indexed all there was, or a share although others were at work. */
const indexedAt = new WeakMap<object, number>()

/**
 * Indexes in slices as long as a tick has time for it and nobody else is at work, which is asked before each: a slice
 * holds the process for 2 ms, and an item that arrives waits for no more than one. Where somebody always is at work a
 * share of a tick is taken every so often; work that follows on rest is left alone as long. Returns the steps.
 */
export async function indexNewSteps(ctx: Context): Promise<number> {
  let [began_ms, time_ms]: [number, number] = [ctx.now(), LIMITS.index_idle_ms]
  let isShare = false
  for (let indexed = 0; ; ) {
    if (!isShare) {
      if (await isWorkUnderWay(ctx.sql)) {
        if (sinceMs(ctx.now(), indexedAt.get(ctx.sql) ?? Number.NEGATIVE_INFINITY) < LIMITS.index_wait_ms)
          return indexed
        isShare = true
        ;[began_ms, time_ms] = [ctx.now(), LIMITS.index_ms]
      }
    }
    const steps = await indexSteps(ctx.sql, LIMITS.index_slice_steps)
    indexed += steps
    // A moment of rest that left some over is no reason to leave the rest of them.
    if (isShare || steps < LIMITS.index_slice_steps) indexedAt.set(ctx.sql, ctx.now())
    if (steps === 0 || sinceMs(ctx.now(), began_ms) >= time_ms) return indexed
  }
}
