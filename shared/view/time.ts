// Words for durations and for how far away a moment is.

import { coarseSpan, span } from '../kernel/span.ts'

export { span }

/** @example age(at, at + 61_000) // '1 min 1 s ago' @example age(at, at - 61_000) // 'in 1 min 1 s' */
export function age(at_ms: number, now_ms: number): string {
  const ms = now_ms - at_ms
  if (Math.abs(ms) < 1000) return 'now'
  return ms > 0 ? `${coarseSpan(ms)} ago` : `in ${coarseSpan(-ms)}`
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400 }

/** Whole seconds of a length of time as people write it; undefined for a text that is none. @example secondsOfTime('24h') // 86_400 */
export function secondsOfTime(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,9})\s*(s|m|min|h|d)$/.exec(text.trim()) ?? []
  return number === undefined ? undefined : Number(number) * UNIT_SECONDS[unit!]!
}
