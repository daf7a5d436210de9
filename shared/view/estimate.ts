// Says when runs end, to pages and the command line.

import { coarseSpan } from '../kernel/span.ts'
import { counted } from '../prices/rules/amounts.ts'
import type { Schemas } from '../sdk/client.ts'

export type Estimate = Schemas['Estimate']
type Ending = NonNullable<Schemas['Schedule']['ending']>

const DAY_MS = 86_400_000

/** A time of day, with its weekday and date unless it comes within a day. @example clockText('2026-03-02T04:20:00Z', 'Europe/Berlin', now) // '05:20' */
export function clockText(at: string, timezone: string, now: number): string {
  const isNear = Math.abs(Date.parse(at) - now) < DAY_MS
  const date = isNear ? {} : ({ weekday: 'short', day: 'numeric', month: 'short' } as const)
  const options = { ...date, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const format = (timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(new Date(at)).replaceAll(',', '')
  try {
    return format(timezone)
  } catch {
    return `${format('UTC')} UTC` // a zone that this platform does not know
  }
}

/**
 * When a run of a schedule ends, and by when it has to.
 *
 * @example
 * sayEnding(ending, 'Europe/Berlin', now)
 * // 'ends at about 05:20, its deadline is 06:00: about 3 h 10 min at 200,000 tokens a minute of api.openai.com (OPENAI_API_KEY)'
 */
export function sayEnding(
  { starts_at, items, deadline_at, estimate }: Ending,
  timezone: string,
  now: number,
): string {
  const which = starts_at === null ? '' : `the next, if it has ${counted(items, 'item')}, `
  const { ends_at, message } = estimate
  const clock = (at: string) => clockText(at, timezone, now)
  if (ends_at === null) {
    const by = deadline_at === null ? '' : `; its deadline is ${clock(deadline_at)}`
    return `${which}ends at a time that is ${message}${by}`
  }
  const isLate = deadline_at !== null && ends_at > deadline_at
  const by =
    deadline_at === null
      ? ''
      : isLate
        ? `, after its deadline at ${clock(deadline_at)}`
        : `, its deadline is ${clock(deadline_at)}`
  return `${which}ends at about ${clock(ends_at)}${by}: ${message}`
}

export const isLate = ({ deadline_at, estimate }: Ending): boolean =>
  deadline_at !== null && estimate.ends_at !== null && estimate.ends_at > deadline_at

/** How long an open run still takes; as it was estimated, less what has passed since. */
export function leftMs({ ends_at }: Estimate, now: number): number | null {
  return ends_at === null ? null : Math.max(0, Date.parse(ends_at) - now)
}

/** @example leftText(estimate, now) // 'about 3 h 10 min' */
export const leftText = (estimate: Estimate, now: number): string => {
  const ms = leftMs(estimate, now)
  return ms === null ? estimate.message : `about ${coarseSpan(Math.max(1000, ms))}`
}
