// Says how many calls of an upstream may begin now, from what its answers report and from what it refused. Guarantee: it knows
// no provider: windows, their kind and what a call costs are learned, and where nothing is reported the pace is searched.
//
// All of it is one plain object, so that a process may keep it in memory and many may share it in a row.

import { type CountedParts, noParts, partsNow } from './counted-parts.ts'
import type { DeclaredLimits } from './declared-limits.ts'
import {
  type Asked,
  callsOf,
  type DeclaredPace,
  declaredRate,
  declaredRoom,
  declaredShares,
  type InFlight,
  learnAsked,
  noteInFlight,
  spareMs,
  startDeclaredPace,
} from './declared-pace.ts'
import { rateIn, roomIn } from './limit-room.ts'
import { type LimitReport, learn, type TrackedLimit, trackLimit } from './tracked-limit.ts'

/** Times are milliseconds of one clock. */
export interface Pacing {
  /** Calls started, answered well, and refused for their number, since it began. */
  started: number
  served: number
  refused: number
  limits: TrackedLimit[]
  /** What people set, and what items ask. */
  declared: DeclaredPace
  declared_limits: DeclaredLimits
  /** Calls a second that the search has arrived at; null before the first refusal. */
  searched: number | null
  /** How much of what is reported is used: less after refusals that it did not foresee. */
  share: number
  /** The pace that was refused last, near which the search goes slowly; null until there was one. */
  peak: number | null
  raised_ms: number
  lowered_ms: number
  /** The pace and the share of refused calls before the pace was lowered; null once that helped. */
  before: { rate: number; refused: number } | null
  /** The share of calls that is refused at any pace. */
  noise: number
  /** Calls that were answered well in all, also before the search began anew. */
  answered: number
  /** How many calls had passed by then. */
  lowered_passed: number
  /** When the next call may begin. */
  next_ms: number
  /** Calls that were answered well in each part of the last minutes. */
  use: CountedParts
  /** Calls that were refused for their number, likewise. */
  refusals: CountedParts
  /** When it was said last that a client tries again by itself, after a refusal; null if it never was. */
  client_retries_ms: number | null
  /** What had started and was refused by then, oldest first. */
  looks: Look[]
}

interface Look {
  at_ms: number
  started: number
  refused: number
  /** Whether calls would have started since the look before. */
  isWanted: boolean
}

/** What happened since the last turn. */
export interface Turn extends Partial<Asked> {
  now_ms: number
  /** What people set now. */
  declared?: DeclaredLimits
  /** Of the process that takes the turn. */
  in_flight?: InFlight & { process: string }
  /** Started without having asked. */
  started?: number
  refused?: number
  client_retries?: boolean
  reports?: readonly LimitReport[]
  /** How many calls would begin. */
  wants: number
  /** How far ahead this turn gives. */
  ahead_ms: number
}

/** Calls that begin where nothing is known. */
const FIRST_CALLS = 4
/** A call that was not refused by then is as good as answered. */
const UNREFUSED_MS = 1000
/** So many calls without a refusal say that nothing has to be held back. */
const UNBOUND_CALLS = 2000
/** Calls a second beyond which nothing is held back. */
const MOST_RATE = 4000
const LEAST_RATE = 0.1
const MOST_LIMITS = 8
const USE_PARTS = 20
const USE_PART_MS = 30_000
const LOOKS = 24
const LOOK_MS = 400
/** How much passes is read from so long, and so many calls. */
const ACCEPTED_MS = 2000
const ACCEPTED_CALLS = 20
/** A refusal among the first calls says little: how fast they began depends on how fast processes start. */
const EARLY_CALLS = 20
/** Refusals that are as good as none: costs vary. */
const FEW = 0.005
/** One refusal is many: calls that were under way are refused with it. */
const LOWER_EACH_MS = 2000
/** A pace that was not refused for so long is low enough. */
const HELPED_MS = 30_000
const HALVED = 0.5
const MOST_NOISE = 0.03
/** What was not used yet may be made up for. */
const CATCH_UP_MS = 150

export const startPacing = (now_ms: number): Pacing => ({
  started: 0,
  served: 0,
  refused: 0,
  limits: [],
  declared: startDeclaredPace(),
  declared_limits: {},
  searched: null,
  share: 1,
  peak: null,
  raised_ms: now_ms,
  lowered_ms: 0,
  before: null,
  noise: 0,
  answered: 0,
  lowered_passed: 0,
  next_ms: now_ms,
  use: noParts(),
  refusals: noParts(),
  client_retries_ms: null,
  looks: [],
})

/** Takes in what happened, and gives out how many calls may begin. */
export function paceTurn(pacing: Pacing, turn: Turn): number {
  const { now_ms, started = 0, ended = 0, served = 0, tokens = 0, refused = 0, reports = [] } = turn
  pacing.started += started
  pacing.served += served
  pacing.answered += served
  const use = useOf(pacing, now_ms)
  use[use.length - 1]! += served
  pacing.refused += refused
  const refusals = refusalsOf(pacing, now_ms)
  refusals[refusals.length - 1]! += refused
  if (turn.client_retries) pacing.client_retries_ms = now_ms
  for (const one of reports) {
    const limit = limitOf(pacing, one)
    if (limit !== undefined) learn(limit, one, ms => startedBy(pacing, ms, now_ms))
  }
  pacing.declared_limits = turn.declared ?? {}
  const { declared, declared_limits } = pacing
  learnAsked(declared, declared_limits, { ...turn, ended, served, tokens }, now_ms)
  if (turn.in_flight) {
    const { process, ...own } = turn.in_flight
    noteInFlight(declared, declared_limits, process, own, now_ms)
  }
  if (refused > 0) lower(pacing, now_ms)
  else raise(pacing, now_ms)
  const permits = permitsOf(pacing, turn)
  pacing.started += permits
  const own = declared.in_flight[turn.in_flight?.process ?? '']
  if (own) own.items += permits
  look(pacing, turn)
  return permits
}

function permitsOf(pacing: Pacing, { now_ms, started = 0, wants, ahead_ms }: Turn): number {
  const rooms = [roomOf(pacing, now_ms)]
  const rate = rateOf(pacing, now_ms)
  // Of a limit that was reported for the first time nobody knows what a call takes.
  if (pacing.limits.some(({ cost }) => cost === 0)) rooms.push(unknownRoom(pacing, now_ms))
  if (rate === null) return Math.max(0, Math.min(wants, unknownRoom(pacing, now_ms), ...rooms))
  const one_ms = 1000 / rate
  // Of what answers report the next ones show what was too much, or was not used; of what people set nothing does.
  const isSet = rate === declaredRate(pacing.declared, pacing.declared_limits)
  const given_ms = isSet ? ahead_ms : 0
  const late_ms = isSet ? Math.max(CATCH_UP_MS, spareMs(pacing.declared_limits)) : CATCH_UP_MS
  const next_ms = Math.min(pacing.next_ms, now_ms + given_ms + one_ms) // at the pace of now, not of then
  // What began without asking takes its turn too.
  pacing.next_ms = Math.max(next_ms, now_ms - late_ms) + started * one_ms
  const until_ms = now_ms + ahead_ms
  const slots = Math.floor((until_ms - pacing.next_ms) / one_ms) + 1
  const permits = Math.max(0, Math.min(wants, slots, ...rooms))
  pacing.next_ms += permits * one_ms
  return permits
}

/** Calls for which what is left of all limits has room; infinite if none says so. */
export const roomOf = (pacing: Pacing, now_ms: number): number =>
  Math.min(
    declaredRoom(pacing.declared, pacing.declared_limits, now_ms),
    ...pacing.limits.map(limit => roomIn(limit, pacing.started, now_ms)),
  )

function limitOf(pacing: Pacing, report: LimitReport): TrackedLimit | undefined {
  const similar = pacing.limits.filter(({ of }) => of === report.of)
  const { amount } = report
  const near = similar.find(
    limit => amount === null || Math.abs(limit.amount - amount) <= 0.01 * limit.amount,
  )
  const known = near ?? (similar.length === 1 ? similar[0] : undefined)
  if (known !== undefined || amount === null || pacing.limits.length >= MOST_LIMITS) return known
  const made = trackLimit({ ...report, amount })
  pacing.limits.push(made)
  return made
}

/** Whether calls have to ask before they begin. */
export const isBound = (pacing: Pacing, now_ms: number): boolean =>
  Object.keys(pacing.declared_limits).length > 0 ||
  rateOf(pacing, now_ms) !== null ||
  unknownRoom(pacing, now_ms) !== Number.POSITIVE_INFINITY ||
  pacing.limits.some(limit => roomIn(limit, pacing.started, now_ms) < UNBOUND_CALLS)

/** Twice as many as were not refused: that doubles them in the time of an answer, and in a second at least. */
function unknownRoom(pacing: Pacing, now_ms: number): number {
  const { started, served, peak } = pacing
  // What a person set is where the search starts.
  if (declaredRate(pacing.declared, pacing.declared_limits) !== Number.POSITIVE_INFINITY)
    return Number.POSITIVE_INFINITY
  const unrefused = Math.max(served, Math.floor(startedBy(pacing, now_ms - UNREFUSED_MS, now_ms)))
  if (peak !== null || unrefused >= UNBOUND_CALLS) return Number.POSITIVE_INFINITY
  return Math.max(0, FIRST_CALLS + 2 * unrefused - started)
}

/** Calls that were answered well in each half minute of the last ten minutes, the latest last. */
export const useOf = ({ use }: Pacing, now_ms: number): number[] =>
  partsNow(use, USE_PARTS, USE_PART_MS, now_ms)

/** Calls that were refused for their number, likewise. */
export const refusalsOf = ({ refusals }: Pacing, now_ms: number): number[] =>
  partsNow(refusals, USE_PARTS, USE_PART_MS, now_ms)

/** How much of what a minute allows was used in the last whole one, or of a longer limit so far; null if nothing is limited. */
export function usedShare(pacing: Pacing, now_ms: number): number | null {
  const shares = declaredShares(pacing.declared, pacing.declared_limits, now_ms)
  const per_second = rateOf(pacing, now_ms)
  if (per_second !== null) {
    const [before = 0, last = 0] = useOf(pacing, now_ms).slice(-3, -1)
    const calls_per_s = per_second * callsOf(pacing.declared)
    shares.push((before + last) / ((2 * USE_PART_MS * calls_per_s) / 1000))
  }
  return shares.length === 0 ? null : Math.max(...shares)
}

/** Calls a second; null if nothing holds them back. */
export function rateOf(pacing: Pacing, now_ms: number): number | null {
  const reported = Math.min(...pacing.limits.map(limit => rateIn(limit, pacing.started, now_ms)))
  const found =
    reported === Number.POSITIVE_INFINITY
      ? (pacing.searched ?? reported)
      : Math.max(LEAST_RATE, reported * pacing.share)
  const rate = Math.min(found, declaredRate(pacing.declared, pacing.declared_limits))
  return rate === Number.POSITIVE_INFINITY ? null : rate
}

function look({ looks, started, refused }: Pacing, { now_ms, wants }: Turn): void {
  const last = looks.at(-1)
  if (last !== undefined && wants > 0) last.isWanted = true
  if (last !== undefined && now_ms - last.at_ms < LOOK_MS) return
  looks.push({ at_ms: now_ms, started, refused, isWanted: wants > 0 })
  if (looks.length > LOOKS) looks.shift()
}

/** How many calls had started by a moment. */
function startedBy({ looks, started }: Pacing, ms: number, now_ms: number): number {
  const at = looks.findLastIndex(({ at_ms }) => at_ms <= ms)
  // Before the first look nothing had started; before the oldest that is kept, at most what had by then.
  if (at === -1) return looks.length < LOOKS ? 0 : looks[0]!.started
  const from = looks[at]!
  const to = looks[at + 1] ?? { at_ms: now_ms, started }
  const part = Math.min(1, Math.max(0, (ms - from.at_ms) / Math.max(1, to.at_ms - from.at_ms)))
  return from.started + part * (to.started - from.started)
}

/** Calls a second that were not refused lately, while some would have started and any was served; and the share of those that were. */
function lately({ looks, started, refused }: Pacing, now_ms: number): { passed: number; refused: number } {
  let [all, failed, ms] = [0, 0, 0]
  for (let i = looks.length - 1; i >= 0 && (ms < ACCEPTED_MS || all - failed < ACCEPTED_CALLS); i--) {
    const from = looks[i]!
    const to = looks[i + 1] ?? { at_ms: now_ms, started, refused }
    const isClosed = to.refused > from.refused && to.started - from.started <= to.refused - from.refused
    if (!from.isWanted || isClosed) continue
    all += to.started - from.started
    failed += to.refused - from.refused
    ms += to.at_ms - from.at_ms
  }
  return {
    passed: Math.max(LEAST_RATE, (1000 * (all - failed)) / Math.max(1000, ms)),
    refused: failed / Math.max(1, all),
  }
}

function lower(pacing: Pacing, now_ms: number): void {
  const since_ms = now_ms - pacing.lowered_ms
  if (since_ms < LOWER_EACH_MS) return
  const { looks } = pacing
  const all = pacing.started - pacing.refused
  // Nobody was served since: it is the same refusal, which says nothing about the pace.
  if (pacing.searched !== null && all - pacing.lowered_passed < 0.2 * pacing.searched * (since_ms / 1000))
    return
  // Too little is known of how much passes: it is searched anew.
  const isEarly = looks.length < 2 || now_ms - looks[0]!.at_ms < ACCEPTED_MS
  if (isEarly || (pacing.searched === null && pacing.answered < EARLY_CALLS))
    return void Object.assign(pacing, {
      started: 0,
      served: 0,
      refused: 0,
      looks: [],
      lowered_ms: now_ms,
      lowered_passed: 0,
    })
  const { passed, refused } = lately(pacing, now_ms)
  if (isNoise(pacing, refused, since_ms)) return
  const rate = pacing.searched ?? 1.1 * passed
  pacing.before ??= { rate, refused }
  pacing.searched = Math.max(LEAST_RATE, Math.min(rate * 0.9, passed * 0.97))
  pacing.peak = Math.min(rate, 1.1 * passed)
  if (refused > FEW) pacing.share = Math.max(0.3, pacing.share * 0.97)
  pacing.lowered_ms = now_ms
  pacing.lowered_passed = all
  pacing.raised_ms = now_ms
}

/** Whether calls are refused as often at a lower pace: then it is not the pace, and goes back to what it was. */
function isNoise(pacing: Pacing, refused: number, since_ms: number): boolean {
  if (since_ms > HELPED_MS) pacing.before = null
  if (pacing.searched === null) return false
  const { before, noise } = pacing
  if (noise > 0 && refused <= 1.5 * noise) return true
  if (before === null || refused > MOST_NOISE) return false
  // More than before: the pace before was only beginning to be refused.
  if (refused > 1.5 * before.refused) pacing.before = { rate: pacing.searched, refused }
  if (pacing.searched > HALVED * before.rate || Math.abs(refused / before.refused - 1) > 0.5) return false
  Object.assign(pacing, {
    noise: refused,
    searched: before.rate,
    peak: 1.1 * before.rate,
    before: null,
  })
  return true
}

/** Slowly near the pace that was refused; only a pace that is used says that more would be served. */
function raise(pacing: Pacing, now_ms: number): void {
  const seconds = (now_ms - pacing.raised_ms) / 1000
  if (seconds < 1) return
  pacing.raised_ms = now_ms
  pacing.share = Math.min(1, pacing.share + 0.002 * Math.min(seconds, 10))
  const { searched, peak } = pacing
  if (searched === null || peak === null || lately(pacing, now_ms).passed < 0.4 * searched) return
  const quiet_ms = now_ms - pacing.lowered_ms
  const slowly = quiet_ms < 40_000 ? 1.001 : quiet_ms < 120_000 ? 1.005 : 1.05
  const raised = Math.max(searched * slowly, searched + 0.1 * (0.97 * peak - searched))
  pacing.searched = raised > MOST_RATE ? null : raised
}
