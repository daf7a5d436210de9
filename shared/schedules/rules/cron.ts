// Parses cron expressions and lists the wall-clock minutes they match, without regard to zones. Guarantee: an
// expression is five standard fields, or is refused with the field that is wrong and why; an accepted expression
// matches again and again, forever.
//
// cron-parser parses the fields. Before that, `standardFields` refuses what cron-parser takes beyond five standard fields.

import { CronExpressionParser } from 'cron-parser'
import { LIMITS } from '../../kernel/limits.ts'
import { shortened } from '../../kernel/text-head.ts'

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

/** Why the check refuses a cron or a zone, with what to write instead; undefined if it does not. */
export function scheduleProblem(check: (text: string) => void, text: string): string | undefined {
  try {
    check(text)
    return undefined
  } catch (error) {
    if (error instanceof ScheduleError) return [error.message, error.hint].filter(Boolean).join(' ')
    throw error
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

/** In order, with the range of their values and how a message names them. */
const FIELDS = [
  { name: 'minute', min: 0, max: 59, names: '' },
  { name: 'hour', min: 0, max: 23, names: '' },
  { name: 'day of the month', min: 1, max: 31, names: '' },
  { name: 'month', min: 1, max: 12, names: ', or JAN to DEC' },
  { name: 'day of the week', min: 0, max: 7, names: ', or SUN to SAT' },
] as const
type Field = (typeof FIELDS)[number]

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
  const parts = standardFields(text)
  const [minutes, hours, days, months, weekdays] = valuesOf(parts)
  const cron: Cron = {
    minutes: inOrder(minutes!),
    hours: inOrder(hours!),
    days: days!,
    months: months!,
    weekdays: new Set([...weekdays!].map(day => day % 7)),
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

const FIVE = 'Write five fields: minute, hour, day of the month, month, day of the week.'
const NONE = 'Five fields cannot say it.'

/** The five fields of each nickname, if there are any. */
const NICKNAMES: Readonly<Record<string, string | null>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
  '@minutely': '* * * * *',
  '@weekdays': '0 0 * * 1-5',
  '@weekends': '0 0 * * 0,6',
  '@secondly': null,
  '@reboot': null,
}

/** The extensions of items, and what to write instead. */
const EXTENSIONS: readonly { sign: RegExp; means: string; instead: string }[] = [
  { sign: /\?/, means: '? for no value', instead: 'Write *.' },
  { sign: /^H(\W|$)/i, means: 'H for a value that the scheduler picks', instead: 'Write a value.' },
  { sign: /#/, means: '# for one of the weeks of a month', instead: NONE },
  { sign: /^(\d+|L)W$/i, means: 'W for the nearest workday', instead: NONE },
  {
    sign: /^(\d+|[a-z]{3})?L(-\d+)?$/i,
    means: 'L for the last one',
    instead: `${NONE} Instead of the last day of a month take the 1st, shortly after midnight.`,
  },
]

/** One item of a list: `*`, a value or a range, with or without a step. */
const ITEM = /^(?:\*|(\d{1,2}|[a-z]{3})(-(?:\d{1,2}|[a-z]{3}))?)(?:\/([^-/]+))?$/i

/** The five fields, in which nothing is left that only cron-parser knows. @throws ScheduleError `invalid_cron` */
function standardFields(text: string): string[] {
  if (text.length > LIMITS.cron_characters)
    throw refused(`is longer than ${LIMITS.cron_characters} characters`)
  const normal = normalCron(text)
  if (normal === '') throw refused('is empty', FIVE)
  if (/^(CRON_)?TZ=/i.test(normal))
    throw refused('begins with a zone', 'Give the zone as "timezone" beside the cron.')
  if (normal.startsWith('@')) throw nickname(normal)
  const parts = normal.split(' ')
  if (parts.length === 6)
    throw refused('has six fields', 'Leave out the seconds in front, or the year at the end.')
  if (parts.length !== 5) throw refused(`has ${parts.length} field${parts.length === 1 ? '' : 's'}`, FIVE)
  for (const [at, field] of FIELDS.entries()) for (const item of parts[at]!.split(',')) checkItem(field, item)
  return parts
}

function nickname(text: string): ScheduleError {
  const fields = NICKNAMES[text.toLowerCase()]
  return refused(
    `${quoted(text)} is a nickname`,
    fields ? `Write "${fields}".` : fields === null ? NONE : FIVE,
  )
}

function checkItem(field: Field, item: string): void {
  const { name, min, max } = field
  const extension = EXTENSIONS.find(({ sign }) => sign.test(item))
  if (extension !== undefined)
    throw refused(`has the ${name} ${quoted(item)}, an extension: ${extension.means}`, extension.instead)
  const [standard, first, last, step] = ITEM.exec(item) ?? []
  if (standard === undefined) throw misfit(field, item)
  if (step === undefined) return
  if (first !== undefined && last === undefined)
    throw refused(`has a step after a single ${name}, ${quoted(item)}`, `Write ${first}-${max}/${step}.`)
  // A step as long as the field, such as */90 for minutes, would silently mean its first value.
  const most = max - min
  if (!/^\d{1,3}$/.test(step) || Number(step) < 1 || Number(step) > most)
    throw refused(
      `has the step ${quoted(step)} for the ${name}, which cannot be one`,
      `It goes from 1 to ${most}; a longer one would name the first ${name} alone.`,
    )
}

/** Whether the field is `*`, with or without the step 1. A larger step restricts the field. */
const isAny = (text: string) => /^\*(\/0*1)?$/.test(text)

/** The values of each field. cron-parser refuses a list that names a value twice, such as `1-5,3`: it gets item by item. */
function valuesOf(parts: readonly string[]): Set<number>[] {
  const whole = parsed(parts)
  return parts.map(
    (part, at) =>
      new Set(whole?.[at] ?? part.split(',').flatMap(item => parsedAt(at, item) ?? refuseItem(at, item))),
  )
}

/** The values of each field, as cron-parser parses them; undefined if it refuses one. */
function parsed(parts: readonly string[]): number[][] | undefined {
  try {
    const { minute, hour, dayOfMonth, month, dayOfWeek } = CronExpressionParser.parse(parts.join(' ')).fields
    return [minute, hour, dayOfMonth, month, dayOfWeek].map(({ values }) => values.map(Number))
  } catch {
    return undefined
  }
}

const parsedAt = (at: number, item: string) => parsed(['0', '0', '1', '1', '0'].with(at, item))?.[at]

/** Says why cron-parser refused an item of standard parts: for a value, or else for the order of two. */
function refuseItem(at: number, item: string): never {
  const field = FIELDS[at]!
  const { name, min, max } = field
  const ends = item.split('/')[0]!.split('-')
  const wrong = ends.find(end => parsedAt(at, end) === undefined)
  if (wrong !== undefined) throw misfit(field, wrong)
  const [first, last] = ends as [string, string]
  throw refused(
    `has the range ${quoted(item)} for the ${name}, which runs backwards`,
    name === 'day of the week' && parsedAt(at, last)![0] === 0
      ? `Sunday ends a range as 7: ${first}-7.`
      : `Write it as two: ${first}-${max},${min}-${last}.`,
  )
}

const misfit = ({ name, min, max, names }: Field, item: string) =>
  refused(
    `has the ${name} ${quoted(item)}, which cannot be one`,
    `It goes from ${min} to ${max}${names}; with "*", lists, ranges and steps.`,
  )

const refused = (what: string, hint?: string) =>
  new ScheduleError('invalid_cron', `The cron expression ${what}.`, hint)

const QUOTED_CHARACTERS = 40

const quoted = (text: string) => JSON.stringify(shortened(text, QUOTED_CHARACTERS))

const inOrder = (values: ReadonlySet<number>) => [...values].sort((a, b) => a - b)

const DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

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
