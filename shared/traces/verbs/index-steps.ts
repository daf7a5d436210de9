// Keeps the search index of steps up to date with what runs write.

import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { indexSteps, isWorkUnderWay } from '../queries/step-index.ts'

/** Indexes new steps before a search, so that it finds what was just written. A long backlog is left to the tick. */
export async function catchUpSearch(ctx: Context): Promise<void> {
  await indexSteps(ctx.sql, LIMITS.search_catch_up_steps)
}

/** When a host last indexed all steps there were, or a share while other work was under way. */
const indexedAt = new WeakMap<object, number>()

/**
 * Indexes in slices while the tick has time (LIMITS.index_idle_ms) and no other work is under way, which is queried
 * before each slice: a slice holds the process for 2 ms, and an arriving item waits for no more than one. If work is
 * always under way, it takes a share of a tick (LIMITS.index_ms) every LIMITS.index_wait_ms; work that begins after an
 * idle time is left alone for as long. Returns the number of steps.
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
    // An idle moment that was too short for all steps must not delay the next share.
    if (isShare || steps < LIMITS.index_slice_steps) indexedAt.set(ctx.sql, ctx.now())
    if (steps === 0 || sinceMs(ctx.now(), began_ms) >= time_ms) return indexed
  }
}
