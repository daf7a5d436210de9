import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import type { DeclaredLimits } from './declared-limits.ts'
import { type Pacing, paceTurn, startPacing, type Turn } from './pacing.ts'

const TURN_MS = 200

/** Takes turns as a process does that always has items; returns when each began. Each ends within the next turn. */
function startsOf(
  pacing: Pacing,
  declared: DeclaredLimits,
  { seconds, calls = 1, tokens = 0 }: { seconds: number; calls?: number; tokens?: number },
): number[] {
  const at: number[] = []
  let ended = 0
  for (let now_ms = 0; now_ms < seconds * 1000; now_ms += TURN_MS) {
    const asked = { ended, served: calls * ended, tokens: tokens * ended }
    ended = paceTurn(pacing, { now_ms, declared, ...asked, wants: 1000, ahead_ms: TURN_MS })
    for (let i = 0; i < ended; i++) at.push(now_ms)
  }
  return at
}

/** Calls within so many seconds by items whose calls take four seconds each, the last one's end beside others' first. */
function callsIn(
  seconds: number,
  declared: DeclaredLimits,
  { calls, places }: { calls: number; places: number },
): number {
  const pacing = startPacing(0)
  let items: { began_ms: number; served: number }[] = []
  let all = 0
  for (let now_ms = 0; now_ms < seconds * 1000; now_ms += TURN_MS) {
    let served = 0
    for (const item of items) {
      const by_now = Math.max(0, Math.min(calls, Math.floor((now_ms - item.began_ms) / 4000)))
      served += by_now - item.served
      item.served = by_now
    }
    all += served
    const left = items.filter(item => item.served < calls)
    const ended = items.length - left.length
    const asked = { ended, served, of_ended: { calls: calls * ended, tokens: 0 } }
    const open = left.reduce((sum, item) => sum + item.served, 0)
    const in_flight = { process: 'a', items: left.length, calls: open }
    const began = paceTurn(pacing, {
      now_ms,
      declared,
      ...asked,
      in_flight,
      wants: places - left.length,
      ahead_ms: TURN_MS,
    })
    items = [
      ...left,
      ...Array.from({ length: began }, (_, i) => ({ began_ms: now_ms + (i % 7) * 300, served: 0 })),
    ]
  }
  return all
}

/** The most that began within so long, wherever that begins. */
const mostWithin = (at: readonly number[], ms: number): number =>
  Math.max(...at.map((from, i) => at.slice(i).findIndex(to => to >= from + ms)).filter(count => count >= 0))

describe('a limit that a person set', () => {
  it('is kept from the first call on, in every minute, and used', () => {
    const at = startsOf(startPacing(0), { requests: '60/min' }, { seconds: 600 })
    expect(mostWithin(at, 60_000)).toBeLessThanOrEqual(60)
    expect(at.length).toBeGreaterThan(0.97 * 600)
  })

  it('of calls counts all calls of an item', () => {
    const at = startsOf(startPacing(0), { requests: '600/min' }, { seconds: 120, calls: 3 })
    const after = at.filter(ms => ms >= 60_000)
    expect(3 * after.length).toBeLessThanOrEqual(600)
    expect(3 * after.length).toBeGreaterThan(0.96 * 600)
  })

  it('of tokens counts what items used lately', () => {
    const at = startsOf(startPacing(0), { tokens: '60000/min' }, { seconds: 240, tokens: 250 })
    const after = at.filter(ms => ms >= 180_000)
    expect(250 * after.length).toBeLessThanOrEqual(60_000)
    expect(250 * after.length).toBeGreaterThan(0.96 * 60_000)
  })

  it('of an hour or a day may be used at once, and then not again within it', () => {
    const at = startsOf(startPacing(0), { requests: '100/h' }, { seconds: 3 * 3600 })
    expect(at.filter(ms => ms < 60_000)).toHaveLength(100)
    expect(mostWithin(at, 3_600_000)).toBeLessThanOrEqual(100)
    expect(at.length).toBeGreaterThanOrEqual(280)
  })

  it.for([
    { limit: '10000/d', calls: 2, places: 256 },
    { limit: '10000/d', calls: 5, places: 256 },
    { limit: '1000/h', calls: 1, places: 800 },
    { limit: '10/d', calls: 1, places: 50 },
  ])(
    'of $limit is used whole, and no more, by items of $calls calls of which $places run at once',
    ({ limit, calls, places }) => {
      const [most, all] = [Number.parseInt(limit, 10), callsIn(3000, { requests: limit }, { calls, places })]
      expect(all).toBeLessThanOrEqual(most)
      expect(all).toBeGreaterThan(most - 2 * calls)
    },
  )

  it('of a day goes beside the pace of a minute', () => {
    const at = startsOf(
      startPacing(0),
      { requests: '60/min', tokens: '30000/d' },
      { seconds: 3600, tokens: 1000 },
    )
    expect(at).toHaveLength(30)
    expect(mostWithin(at, 10_000)).toBeLessThanOrEqual(10)
  })

  it('lowers what answers report, and is lowered by it', () => {
    const report = { of: 'requests', amount: 600, left: 300, reset_ms: 30_000, window_ms: 60_000 } as const
    const turn = (declared: DeclaredLimits): Turn => ({
      now_ms: 1000,
      declared,
      reports: [{ ...report, began_ms: 500, at_ms: 1000 }],
      wants: 1000,
      ahead_ms: 10_000,
    })
    const reported = paceTurn(startPacing(0), turn({}))
    expect(paceTurn(startPacing(0), turn({ requests: '60/min' }))).toBeLessThan(reported / 5)
    expect(paceTurn(startPacing(0), turn({ requests: '6000/min' }))).toBe(reported)
  })

  it('of items in flight holds over all processes, and one that dies gives its places back', () => {
    const pacing = startPacing(0)
    const take = (process: string, items: number, now_ms: number) =>
      paceTurn(pacing, {
        now_ms,
        declared: { in_flight: 20 },
        in_flight: { process, items },
        served: 1000, // the search is over
        ended: 1000,
        wants: 15,
        ahead_ms: 0,
      })
    expect(take('a', 0, 0)).toBe(15)
    expect(take('b', 0, 0)).toBe(5)
    expect(take('b', 5, 1000)).toBe(0)
    expect(take('a', 12, 2000)).toBe(3)
    expect(take('b', 0, LIMITS.upstream_in_flight_ms)).toBe(5)
    // Of `a` nothing was heard since.
    expect(take('b', 5, 2001 + LIMITS.upstream_in_flight_ms)).toBe(15)
  })

  it('of a day counts an item of a process that was late once', () => {
    const pacing = startPacing(0)
    const take = (ended: number, items: number, now_ms: number) =>
      paceTurn(pacing, {
        now_ms,
        declared: { requests: '10/d' },
        in_flight: { process: 'a', items },
        served: ended,
        ended,
        wants: 50,
        ahead_ms: 0,
      })
    expect(take(0, 0, 0)).toBe(4)
    const late_ms = 2 * LIMITS.upstream_in_flight_ms
    expect(take(0, 4, late_ms)).toBe(6)
    expect(take(10, 0, late_ms + 1)).toBe(0)
  })

  it('that is taken back holds nothing any more', () => {
    const pacing = startPacing(0)
    startsOf(pacing, { requests: '60/min' }, { seconds: 60 })
    expect(startsOf(pacing, {}, { seconds: 60 }).length).toBeGreaterThan(10_000)
  })
})
