// Words for durations and for how far away a moment is.

import { coarseSpan, span } from '../kernel/span.ts'

export { span }

/** @example age(at, at + 61_000) // '1 min 1 s ago' @example age(at, at - 61_000) // 'in 1 min 1 s' */
export function age(at_ms: number, now_ms: number): string {
  const ms = now_ms - at_ms
  if (Math.abs(ms) < 1000) return 'now'
  return ms > 0 ? `${coarseSpan(ms)} ago` : `in ${coarseSpan(-ms)}`
}

const TIME_OF_DAY = /^(\d{1,2})(?:\s*([:.h])\s*(\d{2})?)?\s*(?:([ap])\.?\s*m\.?)?$/i

/**
 * A time of day as HH:MM, from what people type: `6:30`, `06:30`, `6.30`, `6h30`, `18h`, `6:30 pm`, `6 pm`. Undefined for
 * anything else, also for `6`, which may be an hour of the morning or the evening.
 *
 * @example timeOfDay('6:30 pm') // '18:30'
 */
export function timeOfDay(text: string): string | undefined {
  const [, hours, sign, minutes, half] = TIME_OF_DAY.exec(text.trim()) ?? []
  if (hours === undefined || (minutes === undefined && half === undefined && sign?.toLowerCase() !== 'h'))
    return undefined
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)]
  if (minute > 59 || (half === undefined ? hour > 23 : hour < 1 || hour > 12)) return undefined
  const ofDay = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return `${String(ofDay).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}

/** What a time that nobody can read is answered with. */
export const TIME_HINT = 'must be a time of day: 06:30, 6:30, 6.30, 18h30 or 6:30 pm.'

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400 }

/** Whole seconds of a length of time as people write it; undefined for a text that is none. @example secondsOfTime('24h') // 86_400 */
export function secondsOfTime(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,9})\s*(s|m|min|h|d)$/.exec(text.trim()) ?? []
  return number === undefined ? undefined : Number(number) * UNIT_SECONDS[unit!]!
}
