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
export interface Moment {
  ms: number
  started: number
}

export interface Report {
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
  /** Of a bucket, what a call took on average since it was nearly full last; what it lets overflow would count as used. */
  mean?: { from: Moment & { left: number }; cost: number | null } | undefined
}

const REPORTS = 24
const COST_EACH_MS = 300
const FEW_COSTS = 6
/** What a window of a second or so has left is over before it is known. */
export const BLIND_MS = 2500
/** Without a word about its length, a limit is of a minute: no provider leaves that out of a shorter one. */
export const USUAL_MS = 60_000

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
    limit.mean = undefined
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
  learnMean(limit)
}

export const endOf = (one: Report, stamp: 'began' | 'at') =>
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
export const refillOf = ({ holds, length_ms }: TrackedLimit) => holds / (length_ms || USUAL_MS)

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

/** A mean over less would be of what came by chance, and of calls that the answers had not seen. */
const MEAN = { calls: 500, ms: 30_000, most_calls: 5000, full: 0.9 }

function learnMean(limit: TrackedLimit): void {
  const { kind, holds, reports, mean } = limit
  const { at, left } = reports.at(-1)!
  if (kind === 'window' || mean === undefined || left > MEAN.full * holds) {
    limit.mean = kind === 'window' ? undefined : { from: { ...at, left }, cost: mean?.cost ?? null }
    return
  }
  const { from } = mean
  const calls = at.started - from.started
  if (calls < MEAN.calls || at.ms - from.ms < MEAN.ms) return
  mean.cost = Math.max(0, refillOf(limit) * (at.ms - from.ms) + from.left - left) / calls
  if (calls > MEAN.most_calls) mean.from = { ...at, left }
}
