// Keeps the search index of steps up with what runs write.

import type { Context } from '../context.ts'
import { LIMITS } from '../domain/limits.ts'
import { indexSteps } from '../store/search.ts'

/** Before a search: what was just written is found. A long backlog is left to the tick. */
export async function catchUpSearch(ctx: Context): Promise<void> {
  await indexSteps(ctx.sql, LIMITS.search_catch_up_flushes)
}

/** A part of a tick's time; returns how many flushes were indexed. */
export async function indexNewSteps(ctx: Context): Promise<number> {
  const until = ctx.now() + LIMITS.index_ms
  let indexed = 0
  while (ctx.now() < until) {
    const flushes = await indexSteps(ctx.sql, 1)
    if (flushes === 0) break
    indexed += flushes
  }
  return indexed
}
