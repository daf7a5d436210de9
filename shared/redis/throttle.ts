// Lets an action happen at most once in a while, however many processes are asked for it. A hint: without Redis each
// process counts for itself.

import type { Context, Redis } from '../context.ts'
import { sinceMs } from '../kernel/elapsed.ts'
import { LIMITS } from '../kernel/limits.ts'
import { keyOf } from './keys.ts'

/** By host: when each name was last let through. */
const last = new WeakMap<object, Map<string, number>>()

/** True if nobody was let through under this name within the time: then this caller is. */
export async function isFirstWithin(ctx: Context, name: string, ms: number): Promise<boolean> {
  const own = last.get(ctx.sql) ?? new Map<string, number>()
  last.set(ctx.sql, own)
  const now = ctx.now()
  if (sinceMs(now, own.get(name) ?? Number.NEGATIVE_INFINITY) < ms) return false
  own.delete(name) // keeps the one let through longest ago first
  if (own.size >= LIMITS.throttled_names) own.delete(own.keys().next().value!)
  own.set(name, now)
  try {
    return (await ctx.redis.set(markOf(ctx.redis, name), '1', 'PX', ms, 'NX')) === 'OK'
  } catch {
    return true
  }
}

/** Lets the next caller through, since this one could not do its action. */
export async function letNextIn(ctx: Context, name: string): Promise<void> {
  last.get(ctx.sql)?.delete(name)
  await ctx.redis.set(markOf(ctx.redis, name), '', 'PX', 1).catch(() => {})
}

const markOf = (redis: Redis, name: string) => keyOf(redis, 'seldom', name)
