// Says from what is known of a limit how many calls it has room for, how fast they may begin, and how long some take. Guarantee:
// what answers report stops nobody for over a minute without one call that tries.

import { BLIND_MS, endOf, type Moment, refillOf, type TrackedLimit, USUAL_MS } from './tracked-limit.ts'

/** What lasts longer is a stock: it may be used as fast as the others allow. */
const PACED_MS = 90_000
/** Calls cost more or less, and a short window evens nothing out. */
const SHORT_SHARE = 0.97

/** The least that answers reported of the present window, which others reported before others had started; null if none did. */
function leftOfWindow(
  { reports, stamp, cost, length_ms }: TrackedLimit,
  started: number,
  now_ms: number,
): number | null {
  const ends_ms = Math.min(
    ...reports.map(one => endOf(one, stamp)).filter(end => end > now_ms && Number.isFinite(end)),
  )
  const of = reports.filter(one => Math.abs(endOf(one, stamp) - ends_ms) < 0.2 * (length_ms || USUAL_MS))
  return of.length === 0 ? null : Math.min(...of.map(one => one.left - cost * (started - one[stamp].started)))
}

/** When the present window ends; what names no end says nothing about that. */
function endNow({ reports, stamp, length_ms }: TrackedLimit, now_ms: number): number {
  const length = length_ms || USUAL_MS
  const ends = reports.map(one => endOf(one, stamp)).filter(Number.isFinite)
  const next = ends.filter(end => end > now_ms)
  if (next.length > 0) return Math.min(...next)
  const last = ends.length > 0 ? Math.max(...ends) : now_ms
  return last + Math.ceil((now_ms - last + 1) / length) * length
}

/** What is left now, if calls cost what they did. */
function leftNow(limit: TrackedLimit, started: number, now_ms: number): number {
  const { holds, cost, kind, reports, length_ms } = limit
  const last = reports.at(-1)!
  if (kind === 'bucket') {
    const filled = ({ ms }: Moment) => last.left + refillOf(limit) * (now_ms - ms)
    const used = ({ started: before }: Moment) => cost * (started - before)
    return Math.min(
      Math.min(holds, filled(last.at)) - used(last.at),
      // What began meanwhile may be filled up again since.
      Math.min(holds, filled(last.began) - used(last.began)),
    )
  }
  const left = leftOfWindow(limit, started, now_ms)
  if (left !== null) return left
  // Nothing was reported of the present window; of what started since the last figures this is its part, if it was even.
  const since_ms = now_ms - (endNow(limit, now_ms) - (length_ms || USUAL_MS))
  const part = Math.min(1, since_ms / Math.max(1, now_ms - last[limit.stamp].ms))
  return holds - cost * (started - last[limit.stamp].started) * part
}

/** Calls that the limit has room for now; fewer than one means none. */
export function roomIn(limit: TrackedLimit, started: number, now_ms: number): number {
  const last = limit.reports.at(-1)
  // No header stops an upstream for over a minute without one call that tries.
  if (last === undefined || (limit.length_ms || USUAL_MS) < BLIND_MS || now_ms - last.at.ms > 60_000)
    return Number.POSITIVE_INFINITY
  return Math.floor(leftNow(limit, started, now_ms) / Math.max(limit.cost, 1e-9))
}

/** What is left over of a bucket, and of a window: costs vary. */
const bucketSpare = (limit: TrackedLimit) => Math.min(0.1 * limit.holds, 1500 * refillOf(limit))
const windowSpare = ({ cost, holds }: TrackedLimit) => Math.max(cost, 0.01 * holds)

/** Calls a second that use the limit up and no more; infinite for a stock. */
export function rateIn(limit: TrackedLimit, started: number, now_ms: number): number {
  const { cost, kind } = limit
  const length_ms = limit.length_ms || USUAL_MS
  if (limit.reports.length === 0 || cost === 0 || length_ms > PACED_MS) return Number.POSITIVE_INFINITY
  const even = (1000 * refillOf(limit)) / cost
  if (length_ms < BLIND_MS) return SHORT_SHARE * even
  const left = leftNow(limit, started, now_ms)
  if (kind === 'bucket') {
    const spare = bucketSpare(limit)
    const over_s = Math.max(1, Math.min(4, length_ms / 4000))
    return Math.max(0.2 * even, even + (left - spare) / cost / over_s)
  }
  const spare = windowSpare(limit)
  const rest_ms = Math.max(100, endNow(limit, now_ms) - now_ms)
  return Math.max(0, Math.min(2 * even, (1000 * (left - spare)) / cost / rest_ms))
}

/** Seconds until so much of it was used; 0 if there is room for all of it now, and if nothing was reported yet. */
export function secondsIn(limit: TrackedLimit, units: number, started: number, now_ms: number): number {
  const { holds, kind } = limit
  const length_ms = limit.length_ms || USUAL_MS
  if (limit.reports.length === 0 || units === 0) return 0
  const unit_s = 1 / (1000 * refillOf(limit))
  if (length_ms < BLIND_MS) return (units * unit_s) / SHORT_SHARE
  const isSpread = length_ms <= PACED_MS
  const left = Math.max(0, leftNow(limit, started, now_ms))
  if (kind === 'bucket') {
    const spare = isSpread ? bucketSpare(limit) : 0
    return Math.max(0, units - Math.max(0, left - spare)) * unit_s
  }
  const rest_s = (endNow(limit, now_ms) - now_ms) / 1000
  if (units <= left) return isSpread ? (rest_s * units) / left : 0
  const windows = (units - left) / (isSpread ? holds - windowSpare(limit) : holds)
  return rest_s + (length_ms / 1000) * (isSpread ? windows : Math.ceil(windows) - 1)
}

/** Units a second that it lets through for good. */
export const unitsPerSecond = (limit: TrackedLimit): number => 1000 * refillOf(limit)
