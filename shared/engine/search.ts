// Keeps the search index of steps up with what runs write.

import type { Context } from '../context.ts'
import { LIMITS } from '../domain/limits.ts'
import { indexSteps, isDatabaseBusy } from '../store/step-index.ts'

/** Before a search: what was just written is found. A long backlog is left to the tick. */
export async function catchUpSearch(ctx: Context): Promise<void> {
  await indexSteps(ctx.sql, LIMITS.search_catch_up_steps)
}

/** A part of a tick's time, and more of it while nobody else asks the database for anything; returns the steps. */
export async function indexNewSteps(ctx: Context): Promise<number> {
  const began = ctx.now()
  for (let indexed = 0; ; ) {
    const spent = ctx.now() - began
    if (spent >= LIMITS.index_idle_ms) return indexed
    if (spent >= LIMITS.index_ms && (await isDatabaseBusy(ctx.sql))) return indexed
    const steps = await indexSteps(ctx.sql, LIMITS.index_batch_steps)
    if (steps === 0) return indexed
    indexed += steps
  }
}
