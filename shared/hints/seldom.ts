// Lets a thing be done once in a while, however many processes are asked for it. A hint: without Redis each process
// counts for itself.

import type { Context } from '../context.ts'

/** By host: when each was last let through. */
const last = new WeakMap<object, Map<string, number>>()

/** Whether nobody was let through under this name within the time; then the caller is. */
export async function isFirstWithin(ctx: Context, name: string, ms: number): Promise<boolean> {
  const own = last.get(ctx.sql) ?? new Map<string, number>()
  last.set(ctx.sql, own)
  const now = ctx.now()
  if (now - (own.get(name) ?? Number.NEGATIVE_INFINITY) < ms) return false
  own.set(name, now)
  try {
    return (await ctx.redis.set(`assay:seldom:${name}`, '1', 'PX', ms, 'NX')) === 'OK'
  } catch {
    return true
  }
}
