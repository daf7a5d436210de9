// Computes when a schedule fires: the wall-clock minutes of its cron in its zone, as instants. Guarantee: a time that
// the clock jumps over is skipped, a time that comes twice fires only the first time, and fire times come in order.
//
// Between two changes of a zone's offset (a stretch), its wall clock is UTC plus that offset. The code walks the
// wall-clock minutes once and the stretches alongside: a minute in no stretch was jumped over, and a minute in two
// stretches is taken in the first.

import { Temporal } from 'temporal-polyfill'
import { type Cron, type WallMinute, wallMinutes } from './cron.ts'

/** All times are minutes since 1970. */
interface Stretch {
  /** Start (inclusive) and end (exclusive); infinite if the offset never changes on that side. */
  start: number
  end: number
  offset: number
  /** The offset after its end. */
  next_offset: number
  /** What the wall clock, by the previous offset, had reached when the stretch began. */
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
/** No offset reaches two days, so a stretch that ended that long before a wall-clock minute cannot contain it. */
const LEAP_MINUTES = 2 * 1440

/** The fire times after `after_ms`, including skipped minutes, in order and without end. */
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

/** The fire times after `after_ms` in milliseconds since 1970, without skipped minutes, in order and without end. */
export function* momentsAfter(cron: Cron, timezone: string, after_ms: number): Generator<number, never> {
  const fires = firesAfter(cron, timezone, after_ms)
  for (;;) {
    const { at } = fires.next().value
    if (at !== null) yield at
  }
}

/** The next `count` fire times after `after_ms`, in milliseconds since 1970. */
export function nextFires(cron: Cron, timezone: string, after_ms: number, count: number): number[] {
  const moments = momentsAfter(cron, timezone, after_ms)
  return Array.from({ length: count }, () => moments.next().value)
}

/** The last stretch that was found for each zone: of ten thousand schedules most need the same one. */
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
  // 'previous' excludes the instant itself, but a stretch includes the instant at which it begins.
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
  /** The first fire time after them. */
  next_at: Date
  /** Whether `next_at` is still ahead, so that the last of `moments` is the newest fire time that has passed. */
  caught_up: boolean
}

/** The fire times from `from` on that have passed, the first `room` of them. */
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
 * An instant on the wall clock of a zone, to the minute; the ISO timestamp in UTC if there is no such zone.
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
