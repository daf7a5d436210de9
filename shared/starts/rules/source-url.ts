// The URL of a source at one start. Guarantee: days and times in it are those on the clock of the schedule's zone.

import { Temporal } from 'temporal-polyfill'

/** Which start the items are for. */
export interface Occasion {
  scheduled_for: Date
  timezone: string
}

const PLACEHOLDERS = ['{date}', '{scheduled_for}'] as const
const PLACEHOLDER = /\{[^{}]*\}/g

/** What stands in braces and is no placeholder, if anything does. */
export const unknownPlaceholder = (url: string): string | undefined =>
  url.match(PLACEHOLDER)?.find(name => !PLACEHOLDERS.some(known => known === name))

/**
 * The URL for one start, on the clock of its zone.
 *
 * @example
 * urlFor('https://example.com/export?day={date}', { scheduled_for: new Date('2026-03-01T23:30Z'), timezone: 'Europe/Berlin' })
 * // 'https://example.com/export?day=2026-03-02'
 */
export function urlFor(url: string, { scheduled_for, timezone }: Occasion): string {
  const local = Temporal.Instant.fromEpochMilliseconds(scheduled_for.getTime()).toZonedDateTimeISO(timezone)
  const at = local.toString({ timeZoneName: 'never', smallestUnit: 'second' })
  return url
    .replaceAll('{date}', local.toPlainDate().toString())
    .replaceAll('{scheduled_for}', encodeURIComponent(at))
}
