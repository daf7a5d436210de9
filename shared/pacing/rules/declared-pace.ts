// Says how many items may begin by the limits that people set. Guarantee: no window of a limit's length sees more than it
// allows, wherever that window begins, as far as what items ask is known; who dies gives back its places.
//
// All of it is one plain object, as in pacing.ts.

import { LIMITS } from '../../kernel/limits.ts'
import { type CountedParts, noParts, partsNow } from './counted-parts.ts'
import { type DeclaredLimits, RATED, type Rate, rateOf } from './declared-limits.ts'

export interface DeclaredPace {
  /** What items that ended lately asked; each counts less than the one after it. */
  items: number
  calls: number
  tokens: number
  /** Of each limit that is longer than calls are spread over: what was used in each part of its window, the latest last. */
  stocks: Partial<Record<Rated, CountedParts>>
  /** Items in flight of each process, what they asked so far, and when it said so. */
  in_flight: Record<string, InFlight & { at_ms: number }>
}

export interface InFlight extends Partial<Asking> {
  items: number
}

type Rated = (typeof RATED)[number]

/** What happened since the last turn, as far as items are concerned. */
export interface Asked {
  ended: number
  served: number
  tokens: number
  /** What those items asked that ended; without it, what was answered since is theirs. */
  of_ended?: Asking
}

/** So many items are remembered. */
const REMEMBERED_ITEMS = 200
/** Until it is known: what an item asks. Of tokens, an answer of 100 words to a page of text. */
const FIRST_ASKED: Readonly<Record<Rated, number>> = { requests: 1, tokens: 1000 }
/** Over so long calls are spread; a longer limit is a stock, which may be used as fast as the shorter ones allow. */
const SPREAD_MS = 60_000
/** Clocks and connections differ: calls that begin evenly do not arrive so. */
const SPREAD_SHARE = 0.985
const PARTS = 24

export const startDeclaredPace = (): DeclaredPace => ({
  items: 0,
  calls: 0,
  tokens: 0,
  stocks: {},
  in_flight: {},
})

/** Items ended, and calls were answered: what those used of the stocks is known, whatever was expected when they began. */
export function learnAsked(pace: DeclaredPace, limits: DeclaredLimits, asked: Asked, now_ms: number): void {
  const { ended, served, tokens, of_ended = { calls: served, tokens } } = asked
  const kept = Math.max(0, 1 - ended / REMEMBERED_ITEMS)
  pace.items = kept * pace.items + ended
  pace.calls = kept * pace.calls + of_ended.calls
  pace.tokens = kept * pace.tokens + of_ended.tokens
  for (const [of, rate] of stocksOf(limits)) {
    const said = of === 'requests' ? served : tokens
    // Agents that say nothing of their calls: each item counts as one.
    const unsaid = pace[COUNTS[of]] === 0 ? ended * FIRST_ASKED[of] : 0
    use(pace, of, rate, said || unsaid, now_ms)
  }
}

const COUNTS = { requests: 'calls', tokens: 'tokens' } as const

/** What an item asks. */
function askedOf(pace: DeclaredPace, of: Rated): number {
  const asked = pace[COUNTS[of]]
  return pace.items < 1 || asked === 0 ? FIRST_ASKED[of] : asked / pace.items
}

const ratesOf = (limits: DeclaredLimits): [Rated, Rate][] =>
  RATED.flatMap(of => (limits[of] === undefined ? [] : [[of, rateOf(limits[of])] as [Rated, Rate]]))

const isStock = ({ length_ms }: Rate) => length_ms > SPREAD_MS

const stocksOf = (limits: DeclaredLimits) => ratesOf(limits).filter(([, rate]) => isStock(rate))

/** Items a second; infinite if no limit spreads them. */
export function declaredRate(pace: DeclaredPace, limits: DeclaredLimits): number {
  const rates = ratesOf(limits).filter(([, rate]) => !isStock(rate))
  return Math.min(
    ...rates.map(
      ([of, { amount, length_ms }]) => (1000 * SPREAD_SHARE * amount) / length_ms / askedOf(pace, of),
    ),
  )
}

/** What spreading leaves over of a limit, in time: so much may be made up for within its length. */
export function spareMs(limits: DeclaredLimits): number {
  const lengths = ratesOf(limits).flatMap(([, rate]) => (isStock(rate) ? [] : [rate.length_ms]))
  return lengths.length === 0 ? 0 : (1 - SPREAD_SHARE) * Math.min(...lengths)
}

/** Items that have room now, beside those in flight. */
export function declaredRoom(pace: DeclaredPace, limits: DeclaredLimits, now_ms: number): number {
  const rooms = stocksOf(limits).map(([of, rate]) => {
    const asked = askedOf(pace, of)
    const expected = sum(livingOf(pace, now_ms).map(one => restOf(one, of, asked)))
    return Math.floor((rate.amount - usedOf(pace, of, rate, now_ms) - expected) / asked)
  })
  if (limits.in_flight !== undefined) rooms.push(limits.in_flight - inFlight(pace, now_ms))
  return Math.max(0, Math.min(...rooms))
}

/** Calls that an item makes, as far as it is known. */
export const callsOf = (pace: DeclaredPace): number => askedOf(pace, 'requests')

/** How much is used of each limit that is not spread. */
export function declaredShares(pace: DeclaredPace, limits: DeclaredLimits, now_ms: number): number[] {
  const shares = stocksOf(limits).map(([of, rate]) => usedOf(pace, of, rate, now_ms) / rate.amount)
  if (limits.in_flight !== undefined) shares.push(inFlight(pace, now_ms) / limits.in_flight)
  return shares
}

const usedOf = (pace: DeclaredPace, of: Rated, rate: Rate, now_ms: number): number =>
  sum(usedParts(pace, of, rate, now_ms))

function use(pace: DeclaredPace, of: Rated, rate: Rate, units: number, now_ms: number): void {
  usedParts(pace, of, rate, now_ms)[PARTS]! += units
}

/** One part more than the window has: it may begin within the oldest. */
function usedParts(pace: DeclaredPace, of: Rated, { length_ms }: Rate, now_ms: number): number[] {
  const stock = pace.stocks[of] ?? noParts()
  pace.stocks[of] = stock
  return partsNow(stock, PARTS + 1, length_ms / PARTS, now_ms)
}

/** A process has so many items in flight that need it. What one that died had may have called, and nobody will say so. */
export function noteInFlight(
  pace: DeclaredPace,
  limits: DeclaredLimits,
  process: string,
  own: InFlight,
  now_ms: number,
): void {
  // A process that says something was only late.
  for (const [other, one] of Object.entries(pace.in_flight))
    if (other !== process && !isAlive(one, now_ms)) {
      delete pace.in_flight[other]
      for (const [of, rate] of stocksOf(limits))
        use(pace, of, rate, restOf(one, of, askedOf(pace, of)), now_ms)
    }
  pace.in_flight[process] = { ...own, at_ms: now_ms }
}

const isAlive = ({ at_ms }: { at_ms: number }, now_ms: number) =>
  now_ms - at_ms <= LIMITS.upstream_in_flight_ms

const livingOf = ({ in_flight }: DeclaredPace, now_ms: number) =>
  Object.values(in_flight).filter(one => isAlive(one, now_ms))

const inFlight = (pace: DeclaredPace, now_ms: number): number =>
  sum(livingOf(pace, now_ms).map(({ items }) => items))

/** What items in flight will still ask: of 10 items that ask 5 calls each and made 12 so far, 38. */
const restOf = (one: InFlight, of: Rated, asked: number): number =>
  Math.max(0, one.items * asked - (one[COUNTS[of]] ?? 0))

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

/** What items ask in all. */
export interface Asking {
  calls: number
  tokens: number
}

export interface DeclaredTime {
  of: Rated
  seconds: number
}

/** Seconds until the limits have let so much begin, limit by limit. */
export function declaredTimes(
  pace: DeclaredPace,
  limits: DeclaredLimits,
  asking: Asking,
  now_ms: number,
): DeclaredTime[] {
  return ratesOf(limits).map(([of, rate]) => {
    const units = of === 'requests' ? asking.calls : asking.tokens
    const { amount, length_ms } = rate
    const seconds = isStock(rate)
      ? stockSeconds(usedParts(pace, of, rate, now_ms), rate, units, now_ms)
      : (units * length_ms) / (1000 * SPREAD_SHARE * amount)
    return { of, seconds }
  })
}

/** A week at hours, twenty years at days: what takes longer goes on at the same pace. */
const MOST_PARTS = 7 * 24 * PARTS

/** What was used of a window comes back, part by part, when it was used a window ago; what is used now as well. */
function stockSeconds(
  used: readonly number[],
  { amount, length_ms }: Rate,
  units: number,
  now_ms: number,
): number {
  const each_ms = length_ms / PARTS
  const returns = [...used]
  let free = Math.max(0, amount - returns.reduce((sum, part) => sum + part, 0))
  let left = units
  for (let part = 0; part < MOST_PARTS; part++) {
    const taken = Math.min(free, left)
    free -= taken
    left -= taken
    const ms = part === 0 ? 0 : part * each_ms - (now_ms % each_ms)
    if (left <= 0) return ms / 1000
    returns[returns.length - 1]! += taken
    free += returns.shift()!
    returns.push(0)
  }
  return (MOST_PARTS * each_ms + (left / amount) * length_ms) / 1000
}

/** Items in flight at most that people allow, of all processes. */
export const mostInFlight = ({ in_flight }: DeclaredLimits): number => in_flight ?? Number.POSITIVE_INFINITY

/** What an item asked lately; null until it is known. */
export const askedLately = ({ items, calls, tokens }: DeclaredPace): Asking | null =>
  items < 1 ? null : { calls: calls / items, tokens: tokens / items }
