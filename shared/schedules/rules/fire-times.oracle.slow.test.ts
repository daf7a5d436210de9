// Compares the fire times of 2,000 random expressions in 14 zones over 20 years with a calendar that goes minute by
// minute: fields as test/support/cron-reference.ts reads them, offsets as Intl gives them, and every minute of the clock
// in a table. The two sequences must be equal, so that no fire time is missing and none is extra. The calendar must stay
// independent: nothing in it may come from cron-parser, which parses the fields for the service, or from Temporal.
//
// A normal run does a share of it: each expression around every clock change of one zone, and every 20th over all the
// years. `npm run oracle` does all of it, each expression in each zone over all the years, in about an hour.

import { describe, expect, it } from 'vitest'
import { CRON_FIELDS, referenceValues } from '../../../test/support/cron-reference.ts'
import { type Cron, parseCron } from './cron.ts'
import { momentsAfter } from './fire-times.ts'

const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/London',
  'Africa/Cairo', // clocks change at midnight: a gap at 00:00; no summer time from 2014 to 2023
  'America/Sao_Paulo', // the same, until 2019
  'Australia/Lord_Howe', // by half an hour
  'Pacific/Apia', // left out 30 December 2011
  'Antarctica/Troll', // by two hours
  'Asia/Kathmandu', // 05:45, never changed
  'Africa/Casablanca', // around Ramadan, four changes in some years
  'America/Caracas', // moved by half an hour in 2016
  'Asia/Tehran', // at midnight, by the Persian calendar, until 2022
  'Asia/Pyongyang', // moved by half an hour in 2015 and back in 2018
  'Pacific/Chatham', // 12:45 and 13:45
]
const EXPRESSIONS = 2000
const FIRST_DAY = Date.UTC(2010, 0) / 86_400_000
const DAYS = Math.round(20 * 365.25)
const FULL = process.env.CRON_ORACLE === 'full'
const SHARE = FULL ? 1 : 20

const MINUTES_PER_DAY = 1440
const START = FIRST_DAY * MINUTES_PER_DAY
const END = START + DAYS * MINUTES_PER_DAY

/** mulberry32: the same expressions in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

function randomExpression(random: () => number): string {
  const below = (n: number) => Math.floor(random() * n)
  const part = (field: number): string => {
    const { min, max, names } = CRON_FIELDS[field]!
    const value = () => min + below(max - min + 1)
    const [a, b] = [value(), value()].sort((x, y) => x - y) as [number, number]
    const kind = below(10)
    if (kind < 5) return (below(2) === 0 && names[a - min]) || String(a)
    if (kind < 7) return `${a}-${b}`
    if (kind < 8) return `${a}-${b}/${1 + below(max - min)}`
    return `*/${1 + below(max - min)}`
  }
  const stars = [0.03, 0.3, 0.6, 0.6, 0.6]
  return CRON_FIELDS.map((_, field) => {
    if (random() < stars[field]!) return '*'
    return Array.from({ length: random() < 0.7 ? 1 : 1 + below(4) }, () => part(field)).join(',')
  }).join(' ')
}

function expressions(): string[] {
  const random = seeded(20_260_302)
  const texts = new Set<string>(['* * * * *', '0 0 29 2 *', '30 2 * * *', '0 0 * * *', '59 23 31 12 *'])
  while (texts.size < EXPRESSIONS) {
    const text = randomExpression(random)
    if (canCome(text)) texts.add(text)
  }
  return [...texts]
}

/** Whether a day within eight years matches. */
function canCome(text: string): boolean {
  const { isDay } = oracleFields(text)
  for (let day = FIRST_DAY; day < FIRST_DAY + 8 * 366; day++) if (isDay(day)) return true
  return false
}

/** What the fields allow, by the rule of POSIX: either of the two days, if both are restricted. */
function oracleFields(text: string) {
  const { minutes, hours, days, months, weekdays } = referenceValues(text)
  const [, , dayText, , weekdayText] = text.split(' ') as [string, string, string, string, string]
  const isFree = (field: string) => field === '*' || field === '*/1'
  const isDay = (day: number) => {
    const date = new Date(day * 86_400_000)
    if (!months.includes(date.getUTCMonth() + 1)) return false
    const byDay = days.includes(date.getUTCDate())
    const byWeek = weekdays.includes(date.getUTCDay())
    if (isFree(dayText)) return isFree(weekdayText) || byWeek
    return isFree(weekdayText) ? byDay : byDay || byWeek
  }
  const minutesOfDay: number[] = []
  for (let minute = 0; minute < MINUTES_PER_DAY; minute++) {
    if (hours.includes(Math.floor(minute / 60)) && minutes.includes(minute % 60)) minutesOfDay.push(minute)
  }
  return { isDay, minutesOfDay }
}

interface Clock {
  /** For each minute the clock can show from START on, the minute at which it first shows it; 0 for never. */
  first: Int32Array
  /** The minutes at which its offset changed. */
  changes: number[]
}

const MARGIN = 2 * MINUTES_PER_DAY

/** Samples the clock every six hours, and every minute of those six hours in which it changed. */
function clockOf(zone: string): Clock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const offsetAt = (minute: number) => {
    const [month, day, year, hour, min] = format
      .format(minute * 60_000)
      .match(/\d+/g)!
      .map(Number)
    return Date.UTC(year!, month! - 1, day, hour, min) / 60_000 - minute
  }
  const first = new Int32Array(END - START + 2 * MARGIN)
  const changes: number[] = []
  const STEP = 360
  let offset = offsetAt(START - MARGIN)
  for (let from = START - MARGIN; from < END; from += STEP) {
    const changed = offsetAt(from + STEP) !== offset
    for (let minute = from; minute < from + STEP; minute++) {
      if (changed && offsetAt(minute) !== offset) {
        offset = offsetAt(minute)
        changes.push(minute)
      }
      const shown = minute + offset - START
      if (shown >= 0 && first[shown] === 0) first[shown] = minute
    }
    if (changed) offset = offsetAt(from + STEP)
  }
  return { first, changes }
}

/** Every fire time from `from` up to `to`. */
function* oracle(
  { isDay, minutesOfDay }: ReturnType<typeof oracleFields>,
  { first }: Clock,
  from: number,
  to: number,
) {
  for (let day = Math.floor(from / MINUTES_PER_DAY) - 1; day * MINUTES_PER_DAY < to + MARGIN; day++) {
    if (!isDay(day)) continue
    for (const minute of minutesOfDay) {
      const at = first[day * MINUTES_PER_DAY + minute - START]
      if (at && at >= from && at < to) yield at
    }
  }
}

/** The first difference between the two, in words. */
function difference(
  text: string,
  cron: Cron,
  zone: string,
  expected: Iterable<number>,
  from: number,
  to: number,
) {
  const fires = momentsAfter(cron, zone, (from - 1) * 60_000)
  const say = (minute: number) => new Date(minute * 60_000).toISOString()
  let fire = fires.next().value / 60_000
  for (const at of expected) {
    if (fire !== at) return `${text} in ${zone}: ${say(at)} is a moment, and ${say(fire)} fires`
    fire = fires.next().value / 60_000
  }
  return fire < to ? `${text} in ${zone}: ${say(fire)} fires and is no moment` : null
}

const all = expressions()

describe('the fire times of random expressions [schedules.wall-clock, schedules.gap-and-overlap]', () => {
  it.each(ZONES.map((zone, index) => ({ zone, index })))(
    'in $zone are those of the calendar',
    ({ zone, index }) => {
      const clock = clockOf(zone)
      const [begin, end] = [START + MARGIN, END - MARGIN]
      const differences: (string | null)[] = []
      for (const [n, text] of all.entries()) {
        if (!FULL && n % ZONES.length !== index && n >= 5) continue
        const cron = parseCron(text)
        const fields = oracleFields(text)
        const whole = Math.floor(n / ZONES.length) % SHARE === 0 && (n > 0 || FULL)
        const spans = whole
          ? [[begin, end] as const]
          : clock.changes.flatMap(at => [
              [at - MINUTES_PER_DAY, at + MINUTES_PER_DAY] as const,
              [at + 17, at + MINUTES_PER_DAY] as const, // starts within a repeated stretch
            ])
        for (const [from, to] of spans) {
          if (from < begin || to > end) continue
          differences.push(difference(text, cron, zone, oracle(fields, clock, from, to), from, to))
        }
      }
      expect(differences.length).toBeGreaterThan(0)
      expect(differences.filter(Boolean).slice(0, 10)).toEqual([])
    },
    FULL ? 3_600_000 : 60_000,
  )
})
