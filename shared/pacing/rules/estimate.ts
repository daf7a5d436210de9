// Says how long the items of a run take, by the limits, the caps and the pace that bind them. Guarantee: what it says is bound by
// something it names, and where something is not known it says what; it is pure, and the same for a run that is to start.

import { coarseSpan } from '../../kernel/span.ts'
import { type DeclaredLimits, limitsText } from './declared-limits.ts'
import { type Asking, askedLately, declaredTimes, mostInFlight } from './declared-pace.ts'
import { secondsIn, unitsPerSecond } from './limit-room.ts'
import { type Pacing, startPacing } from './pacing.ts'
import type { TrackedLimit } from './tracked-limit.ts'

/** What an item asks; how many of its tokens are input is null if that is not known. */
export interface ItemAsks extends Asking {
  input_tokens: number | null
}

/** Items of a run that have not started, and what each asks of an upstream. */
export interface Share extends ItemAsks {
  items: number
}

/** Something outside that items of the run need. */
export interface NeededUpstream {
  /** As people know it. */
  name: string
  pacing: Pacing | null
  declared: DeclaredLimits
  /** What an item of the run asks of it. */
  asks: ItemAsks
  /** Other runs that need it. */
  others: readonly Share[]
  /** Until it lets anything through. */
  opens_ms: number
}

/** So many items at once, of all runs that share it. */
export interface Cap {
  places: number
  /** Items of other runs that have not started. */
  others: readonly number[]
}

export interface EstimateFacts {
  now_ms: number
  /** Items that have not started, and items at work. */
  queued: number
  running: number
  /** How many calls an item makes, and how long it takes. */
  item: { calls: number; seconds: number }
  upstreams: readonly NeededUpstream[]
  caps: readonly Cap[]
  /** Items a second that began lately; null if that says nothing. */
  pace: number | null
}

export const ESTIMATE_BOUNDS = ['limit', 'found_pace', 'in_flight', 'places', 'pace'] as const
export type EstimateBound = (typeof ESTIMATE_BOUNDS)[number]

export interface Estimate {
  /** Until the last call is sent. */
  seconds: number
  /** Until the last item has ended. */
  ends_s: number
  bound: EstimateBound
  /** What binds, in words. */
  at: string
}

interface Bound extends Pick<Estimate, 'bound' | 'at' | 'seconds'> {
  /** Runs that it is shared with. */
  sharing: number
}

/** A run that begins items at less than so much of the pace that a limit or a cap allows is bound by something else. */
const SLOWER = 0.8

/**
 * @example
 * estimateOf(facts) // { seconds: 11_400, ends_s: 11_402, bound: 'limit', at: '200,000 tokens a minute of api.openai.com (OPENAI_API_KEY)' }
 */
export function estimateOf(facts: EstimateFacts): Estimate {
  const { item, queued, pace } = facts
  const bounds = [
    ...facts.caps.map(cap => ofCap(facts, cap)),
    ...facts.upstreams.flatMap(one => ofUpstream(facts, one)),
  ]
  const slowest = bounds.reduce((a, b) => (b.seconds > a.seconds ? b : a))
  const own: Bound | null =
    pace === null
      ? null
      : {
          bound: 'pace',
          at: `${paceText(pace, 'item')}, its pace so far`,
          seconds: queued / pace,
          sharing: 0,
        }
  // Beside other runs a pace changes when they end, which the limits and caps know.
  const slower = own !== null && slowest.sharing === 0 && own.seconds > slowest.seconds ? own : slowest
  const { bound, at, sharing } = slower.seconds * SLOWER > slowest.seconds ? slower : slowest
  const { seconds } = slower
  // Of the last item the first call is sent when it begins, its last one later.
  const last_s = item.calls > 1 ? item.seconds * (1 - 1 / item.calls) : 0
  return {
    seconds: seconds + (queued > 0 ? last_s : 0),
    ends_s: seconds + item.seconds,
    bound,
    at: sharing === 0 ? at : `${at}, shared with ${sharing === 1 ? 'another run' : `${sharing} other runs`}`,
  }
}

/** While all have items, each run begins as many: of a larger one so many begin until this one's last. */
const startedOf = (items: number, own: number) => Math.min(items, own)

function ofCap({ queued, item }: EstimateFacts, { places, others }: Cap): Bound {
  const items = others.reduce((sum, other) => sum + startedOf(other, queued), queued)
  return {
    bound: 'places',
    at: `${count(places)} ${places === 1 ? 'item' : 'items'} at once`,
    seconds: (items * item.seconds) / places,
    sharing: others.length,
  }
}

function ofUpstream(facts: EstimateFacts, upstream: NeededUpstream): Bound[] {
  const { now_ms, item } = facts
  const { name, declared, asks, others } = upstream
  const pacing = upstream.pacing ?? startPacing(now_ms)
  // Items at work have made half of the calls that follow their first.
  const own = facts.queued + (facts.running * Math.max(0, item.calls - 1)) / (2 * Math.max(1, item.calls))
  const started = others.map(other => ({ ...other, items: startedOf(other.items, own) }))
  const shares: Share[] = [{ ...asks, items: own }, ...started]
  const sum = (of: (share: Share) => number) => shares.reduce((all, one) => all + one.items * of(one), 0)
  const asking = { calls: sum(one => one.calls), tokens: sum(one => one.tokens) }
  const items = sum(() => 1)
  const as = (bound: EstimateBound, at: string, seconds: number): Bound => ({
    bound,
    at: `${at} of ${name}`,
    seconds: seconds + upstream.opens_ms / 1000,
    sharing: others.length,
  })
  const places = mostInFlight(declared)
  return [
    ...declaredTimes(pacing.declared, declared, asking, now_ms).map(({ of, seconds }) =>
      as('limit', limitsText({ [of]: declared[of] }), seconds),
    ),
    ...(Number.isFinite(places)
      ? [as('in_flight', `${count(places)} in flight`, (items * item.seconds) / places)]
      : []),
    ...pacing.limits.map(limit =>
      as(
        'limit',
        trackedText(limit),
        secondsIn(limit, sum(unitsIn(limit, pacing)), pacing.started, now_ms) / pacing.share,
      ),
    ),
    ...foundPace(pacing, asking.calls).map(({ rate, seconds }) =>
      as('found_pace', `${paceText(rate, 'call')}, as fast as calls`, seconds),
    ),
  ]
}

/** Tokens of a call that two ways to count them put so near to each other are between them. */
const NEAR = 1.15
/** What takes so much more is counted in a third way, as the most that an answer may have. */
const FAR = 1.3

/**
 * What an item takes of a limit that answers report. What calls took for long is known best; of a small run only what they used
 * is, since little of a bucket that fills all the time says little.
 */
function unitsIn({ of, cost, mean }: TrackedLimit, pacing: Pacing): (asks: ItemAsks) => number {
  const lately = askedLately(pacing.declared)
  return ({ calls, tokens, input_tokens }) => {
    if (mean?.cost != null)
      return calls * mean.cost * likeness({ calls, tokens }, of === 'requests' ? null : lately)
    if (of === 'requests') return calls
    if (tokens === 0) return calls * cost
    const input = input_tokens ?? tokens
    if (of === 'input_tokens') return input
    if (of === 'output_tokens') return input_tokens === null ? calls * cost : tokens - input
    const units = calls * cost
    if (units > FAR * tokens) return units
    if (tokens < NEAR * input) return (tokens + input) / 2
    return units - input < tokens - units ? input : tokens
  }
}

/** How much more tokens a call has than those did from which a mean was learned, if that is not by chance. */
function likeness(own: Asking, lately: Asking | null): number {
  if (lately === null || lately.tokens * lately.calls * own.tokens * own.calls === 0) return 1
  const times = own.tokens / own.calls / (lately.tokens / lately.calls)
  return times > NEAR || times < 1 / NEAR ? times : 1
}

/** It counts where nothing is reported; near the pace that was refused last it goes slowly, so that is about the mean. */
function foundPace({ limits, searched, peak }: Pacing, calls: number): { rate: number; seconds: number }[] {
  if (searched === null || limits.some(({ cost, reports }) => cost > 0 && reports.length > 0)) return []
  const rate = Math.max(searched, 0.97 * (peak ?? 0))
  return [{ rate, seconds: calls / rate }]
}

const count = (value: number) => value.toLocaleString('en')

const UNITS = [
  ['second', 1],
  ['minute', 60],
  ['hour', 3600],
] as const

/** In the unit in which it is at least one. @example paceText(0.5, 'call') // 'about 30 calls a minute' */
function paceText(per_second: number, noun: string): string {
  const [unit, seconds] = UNITS.find(([, seconds]) => per_second * seconds >= 1) ?? UNITS[2]
  const many = Math.max(1, Math.round(per_second * seconds))
  return `about ${count(many)} ${noun}${many === 1 ? '' : 's'} ${unit === 'hour' ? 'an' : 'a'} ${unit}`
}

/** A limit that answers reported, by the minute, or by its own length where that is longer. */
function trackedText(limit: TrackedLimit): string {
  const noun = limit.of.replace('_', ' ')
  const length_ms = limit.length_ms ?? 0
  if (length_ms > 90_000) return `${count(limit.amount)} ${noun} in ${coarseSpan(length_ms)}`
  const digits = Number((60 * unitsPerSecond(limit)).toPrecision(3))
  return `about ${count(digits)} ${noun} a minute`
}

/** @example 'about 3 h 10 min at 200,000 tokens a minute of api.openai.com (OPENAI_API_KEY)' */
export const sayEstimate = (estimate: Pick<Estimate, 'seconds' | 'at'>): string =>
  `about ${estimateSpan(estimate)} at ${estimate.at}`

/** @example '3 h 10 min' */
export const estimateSpan = ({ seconds }: Pick<Estimate, 'seconds'>): string =>
  coarseSpan(Math.max(1, Math.round(seconds)) * 1000)
