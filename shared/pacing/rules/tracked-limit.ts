// What is known about one limit of an upstream from what its answers reported. Guarantee: whether it is a bucket or a window, how
// long that is and what a call costs come from how the reported figures move; other users of the limit count as dearer calls.

import type { ReportedLimit } from '../vocabulary.ts'

/** A limit as an answer reported it. */
export interface LimitReport extends ReportedLimit {
  /** When its call began, and when the answer came: nobody says of which moment its figures are. */
  began_ms: number
  at_ms: number
}

/** A moment, and how many calls had started by then. */
interface Moment {
  ms: number
  started: number
}

interface Report {
  began: Moment
  at: Moment
  left: number
  reset_ms: number | null
}

export interface TrackedLimit {
  of: ReportedLimit['of']
  amount: number
  /** What a full bucket, or a new window, has. */
  holds: number
  /** A bucket fills all the time; a window starts anew. */
  kind: 'bucket' | 'window'
  /** How long an empty bucket fills, or a window lasts; null until it is known. */
  length_ms: number | null
  /** Of which moment the figures of a window are. */
  stamp: 'began' | 'at'
  /** What a call takes. */
  cost: number
  costed_ms: number
  /** How often that was learned. */
  costs: number
  /** The latest answers, oldest first. */
  reports: Report[]
}

const REPORTS = 24
const COST_EACH_MS = 300
const FEW_COSTS = 6
/** What lasts longer is a stock: it may be used as fast as the others allow. */
const PACED_MS = 90_000
/** What a window of a second or so has left is over before it is known. */
const BLIND_MS = 2500
/** Calls cost more or less, and a short window evens nothing out. */
const SHORT_SHARE = 0.97
/** Without a word about its length, a limit is of a minute: no provider leaves that out of a shorter one. */
const USUAL_MS = 60_000

export const trackLimit = ({ of, amount, window_ms }: LimitReport & { amount: number }): TrackedLimit => ({
  of,
  amount,
  holds: amount,
  kind: 'bucket',
  length_ms: window_ms,
  stamp: 'at',
  cost: firstCost(of),
  costed_ms: 0,
  costs: 0,
  reports: [],
})

/** Takes in what an answer reported; `startedBy` knows how many calls had started by a moment. */
export function learn(limit: TrackedLimit, report: LimitReport, startedBy: (ms: number) => number): void {
  const { at_ms, began_ms, left, reset_ms, amount, window_ms } = report
  if (amount !== null && Math.abs(amount - limit.amount) > 0.01 * limit.amount) {
    limit.amount = amount
    limit.holds = amount
    limit.reports = []
    limit.length_ms = window_ms
  }
  const moment = (ms: number) => ({ ms, started: startedBy(ms) })
  const one = { began: moment(began_ms), at: moment(at_ms), left, reset_ms }
  const last = limit.reports.at(-1)
  // Figures close to each other say little about how they move.
  const each_ms = Math.min(1500, Math.max(50, (reset_ms ?? 0) / 40))
  const before = limit.reports.at(-2)
  if (last && before && last.at.ms - before.at.ms < each_ms) limit.reports[limit.reports.length - 1] = one
  else limit.reports.push(one)
  if (limit.reports.length > REPORTS) limit.reports.shift()
  learnKind(limit, window_ms)
  learnCost(limit)
}

const endOf = (one: Report, stamp: 'began' | 'at') =>
  one[stamp].ms + (one.reset_ms ?? Number.POSITIVE_INFINITY)

/** How long a bucket with these figures takes to fill: the same at any time, if it is one. */
const fillOf = ({ holds }: TrackedLimit, { left, reset_ms }: Report): number | null =>
  reset_ms === null || left >= holds ? null : (reset_ms * holds) / (holds - left)

/** Pairs of answers half of the kept ones apart. */
function pairsOf({ reports }: TrackedLimit): [Report, Report][] {
  const half = Math.max(1, reports.length >> 1)
  return reports.slice(half).map((other, i) => [reports[i]!, other])
}

/**
 * The less a bucket has left, the longer it takes until it is full; a window ends whatever is left, so that both fall, and
 * rise together when the next one begins.
 */
function learnKind(limit: TrackedLimit, window_ms: number | null): void {
  const { reports, length_ms } = limit
  const resets = reports.map(({ reset_ms }) => reset_ms ?? 0)
  const longest_ms = Math.max(...resets)
  const most = Math.max(1, ...reports.map(({ left }) => left))
  // Whole seconds, or times of whole seconds, in which resets of several seconds are reported.
  const isRounded = longest_ms > 4000 || resets.every(reset => reset % 1000 === 0)
  const rounding_ms = isRounded ? 1000 : 0.02 * longest_ms
  let votes = 0
  for (const [one, other] of pairsOf(limit)) {
    if (one.reset_ms === null || other.reset_ms === null) continue
    const left = (other.left - one.left) / most
    const reset_ms = other.reset_ms - one.reset_ms
    const hasMoved = Math.abs(reset_ms) > rounding_ms
    if (hasMoved && Math.abs(left) > 0.015) votes += left > 0 === reset_ms > 0 ? 1 : -1
    else if (hasMoved || (reset_ms === 0 && Math.abs(left) * most > 0.3 * limit.holds)) votes++
  }
  const kind = votes === 0 ? limit.kind : votes > 0 ? 'window' : 'bucket'
  if (kind !== limit.kind) Object.assign(limit, { kind, length_ms: null, holds: limit.amount })
  if (kind === 'window') learnWindow(limit, longest_ms)
  else learnBucket(limit, 3 * rounding_ms)
  if (window_ms !== null && limit.holds === limit.amount) limit.length_ms = window_ms
  // What calls cost was concluded from another length, if that is not nearly the same.
  const ratio = (limit.length_ms ?? 1) / (length_ms ?? limit.length_ms ?? 1)
  if (ratio > 2 || ratio < 0.5) Object.assign(limit, { cost: firstCost(limit.of), costs: 0 })
}

const firstCost = (of: TrackedLimit['of']) => (of === 'requests' ? 1 : 0)

/** Ends that are reported of one window agree, if the figures are of the moment that they are taken for. */
function learnWindow(limit: TrackedLimit, longest_ms: number): void {
  limit.length_ms = Math.max(limit.length_ms ?? 0, longest_ms)
  const errors = { began: 0, at: 0 }
  for (const [one, other] of pairsOf(limit))
    for (const stamp of ['began', 'at'] as const) {
      const apart = Math.abs(endOf(other, stamp) - endOf(one, stamp)) / longest_ms
      if (Number.isFinite(apart)) errors[stamp] += Math.abs(apart - Math.round(apart))
    }
  limit.stamp = errors.began < errors.at ? 'began' : 'at'
}

/** What is left and how long the rest takes to fill say how fast that is, and with it what a full bucket holds. */
function learnBucket(limit: TrackedLimit, apart_ms: number): void {
  const reports = limit.reports.filter(({ reset_ms }) => reset_ms !== null)
  if (reports.length === 0) return
  const high = reports.reduce((a, b) => (b.left > a.left ? b : a))
  const low = reports.reduce((a, b) => (b.left < a.left ? b : a))
  const isMoving = low.reset_ms! - high.reset_ms! > apart_ms
  if (isMoving && high.left - low.left > 0.05 * high.left) {
    const refill = (high.left - low.left) / (low.reset_ms! - high.reset_ms!)
    const holds = high.left + refill * high.reset_ms!
    // Some hold less than they let through in a minute.
    if (holds < 0.8 * limit.amount) limit.holds = holds
  }
  const fills = reports.map(one => fillOf(limit, one)).filter(fill => fill !== null)
  fills.sort((a, b) => a - b)
  if (fills.length > 0) limit.length_ms = fills[fills.length >> 1]!
}

/** Units a millisecond. */
const refillOf = ({ holds, length_ms }: TrackedLimit) => holds / (length_ms || USUAL_MS)

function learnCost(limit: TrackedLimit): void {
  const { reports, kind, holds, stamp } = limit
  const last = reports.at(-1)!
  if (limit.cost === 0) {
    // Told before much of it was used; else it is learned from what follows.
    if (last.left > holds / 2) limit.cost = Math.max(1, (holds - last.left) / Math.max(1, last.at.started))
    if (limit.cost > 0) return
  }
  const isShort = (limit.length_ms || USUAL_MS) < BLIND_MS
  // A call is one request, and the windows of a second are distinguished too badly to say that others use them as well.
  if (isShort && limit.of === 'requests') limit.cost = Math.max(1, limit.cost)
  if (last.at.ms - limit.costed_ms < COST_EACH_MS || (isShort && limit.of === 'requests')) return
  const at = kind === 'bucket' ? 'at' : stamp
  const isSame = (one: Report) =>
    Math.abs(endOf(last, at) - endOf(one, at)) < 0.2 * (limit.length_ms || USUAL_MS)
  const filledSince = (one: Report) => (kind === 'bucket' ? refillOf(limit) * (last[at].ms - one[at].ms) : 0)
  const since = reports.filter(
    one =>
      last[at].started - one[at].started >= 4 &&
      (kind === 'bucket' || (one.left >= last.left && isSame(one))),
  )
  // What a full bucket let overflow counts as used: then calls cost that at most.
  const fit = since.find(one => filledSince(one) < holds - one.left)
  const first = fit ?? since[0]
  if (first === undefined) return
  const cost = (filledSince(first) + first.left - last.left) / (last[at].started - first[at].started)
  if (fit === undefined && kind === 'bucket' && cost > limit.cost && limit.cost > 0) return
  if (cost <= 0) return
  limit.costed_ms = last.at.ms
  limit.costs++
  // The first figures may be far off; later ones are only a little, or somebody else calls too. Nothing corrects an error
  // in a short limit.
  const gain = Math.max(isShort ? 0.1 : 0.3, 1 / (limit.costs + 1))
  const most = limit.costs < FEW_COSTS ? 10 : 1.5
  const before = limit.cost || cost
  const within = Math.min(most * before, Math.max(cost, before / most))
  limit.cost = before + gain * (within - before)
}

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

/** Seconds until so many calls have begun; 0 if all of them have room now, and if nothing was reported yet. */
export function secondsIn(limit: TrackedLimit, calls: number, started: number, now_ms: number): number {
  const { holds, cost, kind } = limit
  const length_ms = limit.length_ms || USUAL_MS
  const units = calls * cost
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
