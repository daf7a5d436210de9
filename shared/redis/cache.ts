// A short-lived cache shared by all processes. A hint: a value that is missing, or unreachable because Redis is away,
// is computed again.

import type { Redis } from '../context.ts'
import { keyOf } from './keys.ts'

/** The value kept under a name; undefined when there is none or Redis does not answer. */
export async function recall<T>(redis: Redis, name: string): Promise<T | undefined> {
  try {
    const text = await redis.get(keyOf(redis, 'cache', name))
    return text === null ? undefined : (JSON.parse(text) as T)
  } catch {
    return undefined
  }
}

/** Keeps a value for `ttlMs` milliseconds. */
export async function remember(redis: Redis, name: string, value: unknown, ttlMs: number): Promise<void> {
  await redis.set(keyOf(redis, 'cache', name), JSON.stringify(value), 'PX', ttlMs).catch(() => {})
}
