// Parses cron expressions and lists the wall-clock minutes they match, without regard to zones. Guarantee: an
// expression is five standard fields, or is refused with the field that is wrong and why; an accepted expression
// matches again and again, forever.

import { LIMITS } from '../../kernel/limits.ts'

/** An invalid cron or zone. `code` is also the `disabled_reason` of a schedule that is disabled for it. */
export class ScheduleError extends Error {
  readonly code: 'invalid_cron' | 'invalid_timezone'
  readonly hint: string | undefined
  constructor(code: 'invalid_cron' | 'invalid_timezone', message: string, hint?: string) {
    super(message)
    this.name = 'ScheduleError'
    this.code = code
    this.hint = hint
  }
}

/** The values each field allows. */
export interface Cron {
  minutes: readonly number[]
  hours: readonly number[]
  days: ReadonlySet<number>
  months: ReadonlySet<number>
  /** 0 is Sunday. */
  weekdays: ReadonlySet<number>
  /** Whether the field was given as `*`. If both fields are restricted, a day that matches either one fires. */
  any_day: boolean
  any_weekday: boolean
}

interface Field {
  name: string
  min: number
  max: number
  names?: readonly string[]
}

const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ')
const DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: ['', ...MONTHS] },
  { name: 'day of the week', min: 0, max: 7, names: WEEKDAYS },
]

/** The expression with one blank between its fields. In this form it is unique among an agent's schedules. */
export const normalCron = (text: string): string =>
  text
    .trim()
    .split(/[ \t]+/)
    .join(' ')

/** @throws ScheduleError `invalid_cron` */
export function checkCron(text: string): void {
  parseCron(text)
}

/** @throws ScheduleError `invalid_cron` */
export function parseCron(text: string): Cron {
  const parts = fieldsOf(text)
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, i) => valuesOf(field, parts[i]!))
  if (weekdays!.delete(7)) weekdays!.add(0)
  const cron: Cron = {
    minutes: inOrder(minutes!),
    hours: inOrder(hours!),
    days: days!,
    months: months!,
    weekdays: weekdays!,
    any_day: isAny(parts[2]!),
    any_weekday: isAny(parts[4]!),
  }
  if (cron.any_weekday && !comesTrue(cron))
    throw refused(
      `never comes: no month it names has a day ${parts[2]}`,
      'The last day of a month cannot be said; take the 1st, shortly after midnight.',
    )
  return cron
}

function fieldsOf(text: string): string[] {
  if (text.length > LIMITS.cron_characters)
    throw refused(`is longer than ${LIMITS.cron_characters} characters`)
  const normal = normalCron(text)
  if (normal === '') throw refused('is empty', FIVE)
  if (/^(CRON_)?TZ=/i.test(normal))
    throw refused('begins with a zone', 'Give the zone as "timezone" beside the cron.')
  if (normal.startsWith('@'))
    throw refused(
      `${quoted(normal)} is a nickname`,
      'Write the five fields, for example "0 0 * * *" for @daily.',
    )
  const parts = normal.split(' ')
  if (parts.length === 6)
    throw refused('has six fields', 'Seconds and years cannot be said; leave the sixth field out.')
  if (parts.length !== 5) throw refused(`has ${parts.length} field${parts.length === 1 ? '' : 's'}`, FIVE)
  return parts
}

const FIVE = 'Write five fields: minute, hour, day of the month, month, day of the week.'

/** Whether the field is `*`, with or without the step 1. A larger step restricts the field. */
const isAny = (text: string) => /^\*(\/0*1)?$/.test(text)

function valuesOf(field: Field, text: string): Set<number> {
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const { from, to, step } = rangeOf(field, part)
    for (let value = from; value <= to; value += step) values.add(value)
  }
  return values
}

function rangeOf(field: Field, part: string): { from: number; to: number; step: number } {
  const { name, min, max } = field
  const [, first, last, stepText] = /^([^-/]+)(?:-([^-/]+))?(?:\/([^-/]+))?$/.exec(part) ?? []
  if (first === undefined) throw misfit(field, part)
  if (first === '*' && last === undefined) return { from: min, to: max, step: stepOf(field, stepText) }
  const from = oneOf(field, first)
  if (last === undefined) {
    if (stepText !== undefined)
      throw refused(`has a step after a single ${name}, ${quoted(part)}`, `Write ${from}-${max}/${stepText}.`)
    return { from, to: from, step: 1 }
  }
  const to = oneOf(field, last)
  if (from > to)
    throw refused(
      `has the range ${quoted(part)} for the ${name}, which runs backwards`,
      name === 'day of the week' && to === 0
        ? `Sunday ends a range as 7: ${first}-7.`
        : `Write it as two: ${first}-${max},${min}-${last}.`,
    )
  return { from, to, step: stepOf(field, stepText) }
}

function stepOf({ name, min, max }: Field, text: string | undefined): number {
  if (text === undefined) return 1
  const step = /^\d{1,3}$/.test(text) ? Number(text) : 0
  // A step as long as the field, such as */90 for minutes, would silently mean its first value.
  const most = max - min
  if (step < 1 || step > most)
    throw refused(
      `has the step ${quoted(text)} for the ${name}, which cannot be one`,
      `It goes from 1 to ${most}; a longer one would name the first ${name} alone.`,
    )
  return step
}

function oneOf(field: Field, text: string): number {
  const named = field.names?.indexOf(text.toUpperCase()) ?? -1
  if (named >= field.min) return named
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1
  if (value < field.min || value > field.max) throw misfit(field, text)
  return value
}

function misfit({ name, min, max, names }: Field, text: string): ScheduleError {
  const spoken = names === undefined ? '' : `, or ${names.at(min === 0 ? 0 : 1)} to ${names.at(-1)}`
  const extension = /[LW#?H]/i.test(text) && !/^[A-Z]{3,}$/i.test(text)
  return refused(
    `has the ${name} ${quoted(text)}, which cannot be one`,
    extension
      ? 'L, W, #, ? and H are extensions that five-field cron does not know.'
      : `It goes from ${min} to ${max}${spoken}; with "*", lists, ranges and steps.`,
  )
}

const refused = (what: string, hint?: string) =>
  new ScheduleError('invalid_cron', `The cron expression ${what}.`, hint)

const quoted = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)

const inOrder = (values: Set<number>) => [...values].sort((a, b) => a - b)

const comesTrue = ({ days, months }: Cron) =>
  [...months].some(month => [...days].some(day => day <= DAYS_OF_MONTH[month - 1]!))

const MINUTES_PER_DAY = 1440
const MS_PER_DAY = 86_400_000
/** 29 February comes again after 8 years at most: 1896 to 1904, and 2096 to 2104. */
const MOST_DAYS_BETWEEN = 8 * 366

/** A minute on the wall clock, counted as if the zone had no offset: 0 is midnight of 1 January 1970. */
export type WallMinute = number

/** The matching minutes after `after`, ascending and without end. */
export function* wallMinutes(cron: Cron, after: WallMinute): Generator<WallMinute, never> {
  let day = Math.floor((after + 1) / MINUTES_PER_DAY)
  for (;;) {
    day = nextDay(cron, day)
    for (const hour of cron.hours) {
      const start = day * MINUTES_PER_DAY + hour * 60
      if (start + 59 <= after) continue
      for (const minute of cron.minutes) if (start + minute > after) yield start + minute
    }
    day++
  }
}

/** The first matching day from `from` on, in days since 1970. */
function nextDay(cron: Cron, from: number): number {
  for (let day = from; day - from <= MOST_DAYS_BETWEEN; ) {
    const date = new Date(day * MS_PER_DAY)
    const month = date.getUTCMonth()
    if (!cron.months.has(month + 1)) day = Date.UTC(date.getUTCFullYear(), month + 1) / MS_PER_DAY
    else if (isDay(cron, date)) return day
    else day++
  }
  throw new Error('A cron expression that was accepted names no day.')
}

function isDay(cron: Cron, date: Date): boolean {
  const fits = cron.days.has(date.getUTCDate())
  const fitsWeek = cron.weekdays.has(date.getUTCDay())
  if (cron.any_day) return fitsWeek
  if (cron.any_weekday) return fits
  return fits || fitsWeek
}
