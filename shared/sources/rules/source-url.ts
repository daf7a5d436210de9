// What a source is told of the start it is read for. Guarantee: days and times are those on the clock of the schedule's
// zone.

import { Temporal } from 'temporal-polyfill'
import type { GeneratorOccurrence } from '../../protocol/rules/protocol.ts'

/** Which start the items are for. */
export interface Occasion {
  scheduled_for: Date
  timezone: string
  /** What was POSTed to the trigger, as JSON text. */
  body?: string
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
  const local = localTime(scheduled_for, timezone)
  const at = local.toString({ timeZoneName: 'never', smallestUnit: 'second' })
  return url
    .replaceAll('{date}', local.toPlainDate().toString())
    .replaceAll('{scheduled_for}', encodeURIComponent(at))
}

/** The same for a generator. */
export const occurrenceOf = ({ scheduled_for, timezone, body }: Occasion): GeneratorOccurrence => ({
  scheduled_for: scheduled_for.toISOString(),
  timezone,
  date: localTime(scheduled_for, timezone).toPlainDate().toString(),
  ...(body !== undefined && { body: JSON.parse(body) }),
})

const localTime = (at: Date, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone)
