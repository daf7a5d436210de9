// Gives a source the start that it is read for. Guarantee: dates, and times in a URL, are on the wall clock of the
// schedule's zone.

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

/** The first text in braces that is not a placeholder; undefined if there is none. */
export const unknownPlaceholder = (url: string): string | undefined =>
  url.match(PLACEHOLDER)?.find(name => !PLACEHOLDERS.some(known => known === name))

/**
 * The URL for one start, its placeholders filled in by the clock of the zone.
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

/** The start, as a generator's request states it. */
export const occurrenceOf = ({ scheduled_for, timezone, body }: Occasion): GeneratorOccurrence => ({
  scheduled_for: scheduled_for.toISOString(),
  timezone,
  date: localTime(scheduled_for, timezone).toPlainDate().toString(),
  ...(body !== undefined && { body: JSON.parse(body) }),
})

const localTime = (at: Date, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone)
