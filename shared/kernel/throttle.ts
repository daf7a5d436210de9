// Bounds what is logged of a store that is away. Guarantee: a reason is new at once and then once a minute, for each connection
// pool; a night without PostgreSQL would fill 40 MB of log otherwise.

import { sinceMs } from './elapsed.ts'
import { LIMITS } from './limits.ts'

const logged = new WeakMap<object, Map<string, number>>()

/** Whether to log the reason now, which then counts as logged. */
export function isToLog({ sql: pool, now }: { sql: object; now(): number }, reason: string): boolean {
  const reasons = logged.get(pool) ?? new Map<string, number>()
  logged.set(pool, reasons)
  const before = reasons.get(reason)
  const now_ms = now()
  if (before !== undefined && sinceMs(now_ms, before) < LIMITS.log_repeat_ms) return false
  if (reasons.size >= LIMITS.log_reasons) reasons.clear()
  reasons.set(reason, now_ms)
  return true
}
