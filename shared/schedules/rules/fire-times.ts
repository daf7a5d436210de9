// When a schedule fires: the moments of its cron on the wall clock of its zone, as instants. Guarantee: a time that the
// clock jumps over is skipped, one that comes twice fires the first time only, and the moments come in order.
//
// Between two changes of its offset a zone's wall clock is the instant moved by the offset. So the wall-clock minutes
// are walked once, and these stretches alongside: a minute that lies in none was jumped over, and one that lies in two
// is met in the first.

import { Temporal } from 'temporal-polyfill'
import { type Cron, type WallMinute, wallMinutes } from './cron.ts'

/** Minutes since 1970 throughout. */
interface Stretch {
  /** Where it begins and ends; without an end, infinity. */
  start: number
  end: number
  offset: number
  /** The offset after its end. */
  next_offset: number
  /** The wall clock had come this far when it began. */
  reached: WallMinute
}

export interface Fire {
  wall: WallMinute
  /** Milliseconds since 1970; null where the wall clock jumps over the minute. */
  at: number | null
  /** The wall clock shows the minute again afterwards. */
  repeated: boolean
}

const MS_PER_MINUTE = 60_000
const NS_PER_MINUTE = 6e10
/** No offset is as far from UTC as two days: what ended so long before a minute on the clock does not hold it. */
const LEAP_MINUTES = 2 * 1440

/** What the cron names after a moment, the minutes that are skipped among it, in order and without end. */
export function* firesAfter(cron: Cron, timezone: string, after_ms: number): Generator<Fire, never> {
  const after = Math.floor(after_ms / MS_PER_MINUTE)
  let stretch = stretchAt(timezone, after)
  const from = Math.max(after + stretch.offset, stretch.reached - 1)
  const walls = wallMinutes(cron, from)
  for (;;) {
    const wall = walls.next().value
    while (wall >= stretch.end + stretch.offset)
      stretch = stretchAt(timezone, Math.max(stretch.end, wall - LEAP_MINUTES))
    const isSkipped = wall < stretch.start + stretch.offset
    yield {
      wall,
      at: isSkipped ? null : (wall - stretch.offset) * MS_PER_MINUTE,
      repeated: !isSkipped && wall >= stretch.end + stretch.next_offset,
    }
  }
}

/** The moments after a moment, without those that are skipped. */
export function* momentsAfter(cron: Cron, timezone: string, after_ms: number): Generator<number, never> {
  const fires = firesAfter(cron, timezone, after_ms)
  for (;;) {
    const { at } = fires.next().value
    if (at !== null) yield at
  }
}

/** The next `count` moments after a moment. */
export function nextFires(cron: Cron, timezone: string, after_ms: number, count: number): number[] {
  const moments = momentsAfter(cron, timezone, after_ms)
  return Array.from({ length: count }, () => moments.next().value)
}

/** The stretch asked for last, by zone: of ten thousand schedules most ask for the same. */
const known = new Map<string, Stretch>()

function stretchAt(timezone: string, minute: number): Stretch {
  const last = known.get(timezone)
  if (last !== undefined && last.start <= minute && minute < last.end) return last
  const stretch = findStretch(timezone, minute)
  known.set(timezone, stretch)
  return stretch
}

function findStretch(timezone: string, minute: number): Stretch {
  const within = Temporal.Instant.fromEpochMilliseconds(minute * MS_PER_MINUTE).toZonedDateTimeISO(timezone)
  // The change before is looked for strictly before; a stretch holds the moment it begins at.
  const began = within.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
  const ends = within.getTimeZoneTransition('next')
  const start = began ? minuteOf(began) : Number.NEGATIVE_INFINITY
  return {
    start,
    end: ends ? minuteOf(ends) : Number.POSITIVE_INFINITY,
    offset: offsetOf(within),
    next_offset: offsetOf(ends ?? within),
    reached: began ? start + offsetOf(began.subtract({ nanoseconds: 1 })) : Number.NEGATIVE_INFINITY,
  }
}

const minuteOf = (at: Temporal.ZonedDateTime) => at.epochMilliseconds / MS_PER_MINUTE
const offsetOf = (at: Temporal.ZonedDateTime) => at.offsetNanoseconds / NS_PER_MINUTE

export interface Overdue {
  /** In order; all of them have passed. */
  moments: Date[]
  /** The first moment after them. */
  next_at: Date
  /** Whether it is still ahead: the last of the moments is the newest there is. */
  caught_up: boolean
}

/** The moments from `from` on that have come, as many as there is room for. */
export function overdueMoments(cron: Cron, timezone: string, from: Date, now: Date, room: number): Overdue {
  const moments: Date[] = []
  for (const at of momentsAfter(cron, timezone, from.getTime() - 1)) {
    const caught_up = at > now.getTime()
    if (caught_up || moments.length === room) return { moments, next_at: new Date(at), caught_up }
    moments.push(new Date(at))
  }
  throw new Error('a cron names moments without end')
}

/**
 * A moment as the clock of a zone shows it; by UTC where there is no such zone.
 *
 * @example
 * wallClock(new Date('2026-03-02T01:00Z'), 'Europe/Berlin') // '2026-03-02 02:00'
 */
export function wallClock(at: Date, timezone: string): string {
  try {
    const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone)
    return local.toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ')
  } catch {
    return at.toISOString()
  }
}
