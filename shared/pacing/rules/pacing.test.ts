import { describe, expect, it } from 'vitest'
import { type Simulated, type SimulatedLimit, simulate } from '../../../test/support/limited-upstream.ts'
import { isBound, paceTurn, rateOf, startPacing } from './pacing.ts'
import type { LimitReport } from './tracked-limit.ts'

/** Tokens for 50 calls a second, and requests for 60. */
const of = (kind: SimulatedLimit['kind'], seconds: number): SimulatedLimit[] => [
  { of: 'requests', kind, amount: 60 * seconds, per_ms: seconds * 1000 },
  { of: 'tokens', kind, amount: 14_500 * seconds, per_ms: seconds * 1000 },
]
const RATE = 50

const sum = (counts: readonly number[], from = 0) =>
  counts.reduce((all, n, second) => all + (second >= from ? n : 0), 0)

/** The share of the limit that was used from a second on, and the share of all calls that were refused. */
function used(simulated: Simulated, from = 10, rate = RATE) {
  const { served, refused, sent } = simulate(simulated)
  return {
    share: sum(served, from) / (rate * (simulated.seconds - from)),
    refused: sum(refused) / sent,
  }
}

describe('limits that answers tell', () => {
  const REPORTED: [string, SimulatedLimit[], Partial<Simulated>][] = [
    ["ten seconds' buckets", of('bucket', 10), {}],
    [
      "a minute's buckets, nearly empty at first",
      of('bucket', 60).map(one => ({ ...one, start: one.amount / 10 })),
      {},
    ],
    [
      "a minute's buckets that hold ten seconds'",
      of('bucket', 60).map(one => ({ ...one, holds: one.amount / 6 })),
      {},
    ],
    ["ten seconds' buckets, reported in whole seconds", of('bucket', 10), { isRounded: true }],
    ["one second's buckets", of('bucket', 1), {}],
    [
      "one second's windows of requests",
      [{ of: 'requests', kind: 'window', amount: 50, per_ms: 1000 }],
      { isRounded: true },
    ],
    ["ten seconds' windows", of('window', 10), {}],
    ["ten seconds' windows, reported in whole seconds", of('window', 10), { isRounded: true }],
    ["a minute's windows", of('window', 60), { seconds: 180 }],
    ["a minute's windows, reported in whole seconds", of('window', 60), { seconds: 180, isRounded: true }],
    ['two calls an item', of('bucket', 10), { calls: 2 }],
    ['four processes', of('bucket', 10), { processes: 4 }],
  ]
  it.for(
    REPORTED.flatMap(one =>
      (['at the answer', 'at the call'] as const).map(reports => [...one, reports] as const),
    ),
  )('are used to the last call and hardly overrun: %s', ([, limits, rest, reports]) => {
    const { share, refused } = used({ limits, seconds: 70, reports, ...rest })
    expect(share).toBeGreaterThan(0.95)
    // Later calls of an item do not ask here, as where the agent is none of the SDK.
    expect(refused).toBeLessThan(rest.calls === undefined ? 0.0125 : 0.02)
  })

  it('are kept when they fall, and used when they rise again', () => {
    const limits = of('bucket', 10)
    const fallen = used(
      { limits, seconds: 90, reports: 'at the answer', change: { at_s: 30, factor: 0.2 } },
      50,
      RATE / 5,
    )
    expect(fallen.share).toBeGreaterThan(0.95)
    expect(fallen.refused).toBeLessThan(0.0125)
    const risen = used(
      { limits, seconds: 90, reports: 'at the answer', change: { at_s: 30, factor: 2 } },
      40,
      RATE * 2,
    )
    expect(risen.share).toBeGreaterThan(0.95)
  })
})

describe('limits that nobody reports', () => {
  it.for<[string, SimulatedLimit[], Partial<Simulated>]>([
    ["ten seconds' buckets", of('bucket', 10), {}],
    ["a minute's buckets", of('bucket', 60), {}],
    ["a minute's windows", of('window', 60), {}],
    ['four processes', of('bucket', 10), { processes: 4 }],
  ])('are found: %s', ([, limits, rest]) => {
    const { share, refused } = used({ limits, seconds: 300, reports: 'nothing', ...rest }, 60)
    expect(share).toBeGreaterThan(0.9)
    expect(refused).toBeLessThan(0.03)
  })

  it.for([50, 100])('are not mistaken for what refuses one of %i calls at any pace', every => {
    const pacing = startPacing(0)
    let [calls, unanswered, refused] = [0, 0, 0]
    const last: number[] = []
    for (let now_ms = 0; now_ms < 300_000; now_ms += 100) {
      const permits = paceTurn(pacing, {
        now_ms,
        served: unanswered - refused,
        refused,
        wants: 10,
        ahead_ms: 100,
      })
      unanswered = permits
      refused = Math.floor((calls + permits) / every) - Math.floor(calls / every)
      calls += permits
      if (now_ms >= 240_000) last.push(permits)
    }
    // It wants a hundred a second.
    expect(last.reduce((sum, permits) => sum + permits, 0) / 60).toBeGreaterThan(50)
  })

  it('are not concluded from a refusal among the first calls', () => {
    const pacing = startPacing(0)
    // A call a second, since processes only start; then one is refused, and a hundred a second are wanted.
    for (let now_ms = 0; now_ms < 5000; now_ms += 100)
      paceTurn(pacing, {
        now_ms,
        served: now_ms % 1000 === 0 ? 1 : 0,
        wants: now_ms % 1000 === 0 ? 1 : 0,
        ahead_ms: 100,
      })
    paceTurn(pacing, { now_ms: 5000, refused: 1, wants: 0, ahead_ms: 100 })
    let calls = 0
    for (let now_ms = 5100, served = 0; now_ms < 15_000; now_ms += 100) {
      served = paceTurn(pacing, { now_ms, served, wants: 10, ahead_ms: 100 })
      calls += served
    }
    expect(calls).toBeGreaterThan(500)
  })

  it('are searched from four calls on, twice as many in each second without a refusal', () => {
    const pacing = startPacing(0)
    const started = [0, 1000, 2000, 3000, 4000].map(now_ms =>
      paceTurn(pacing, { now_ms, wants: 1000, ahead_ms: 0 }),
    )
    expect(started).toEqual([4, 8, 16, 32, 64])
  })

  it('hold nobody back once thousands of calls were served', () => {
    const pacing = startPacing(0)
    let now_ms = 0
    while (isBound(pacing, now_ms)) {
      now_ms += 50
      const permits = paceTurn(pacing, { now_ms, wants: 500, ahead_ms: 0 })
      paceTurn(pacing, { now_ms, served: permits, wants: 0, ahead_ms: 0 })
    }
    expect(now_ms).toBeLessThan(1000)
    expect(paceTurn(pacing, { now_ms, wants: 5000, ahead_ms: 0 })).toBe(5000)
  })

  it('are found again after thousands of calls that nobody refused', () => {
    const pacing = startPacing(0)
    for (let now_ms = 0; now_ms < 10_000; now_ms += 100) {
      const permits = paceTurn(pacing, { now_ms, wants: 100, ahead_ms: 0 })
      paceTurn(pacing, { now_ms, served: permits, wants: 0, ahead_ms: 0 })
    }
    expect(rateOf(pacing, 10_000)).toBeNull()
    paceTurn(pacing, { now_ms: 10_000, refused: 1, wants: 0, ahead_ms: 0 })
    expect(rateOf(pacing, 10_000)).toBeGreaterThan(500)
    expect(rateOf(pacing, 10_000)).toBeLessThan(1000)
  })
})

/** What the first answer reports of 600 requests. */
const reported = (limit: Pick<LimitReport, 'left' | 'reset_ms' | 'window_ms'>): LimitReport => ({
  of: 'requests',
  amount: 600,
  began_ms: 0,
  at_ms: 0,
  ...limit,
})

it('gives back what was not used, and counts what began without asking', () => {
  const pacing = startPacing(0)
  const reports = [reported({ left: 300, reset_ms: 30_000, window_ms: 60_000 })]
  paceTurn(pacing, { now_ms: 0, reports, wants: 0, ahead_ms: 0 })
  const rate = rateOf(pacing, 0)!
  const first = paceTurn(pacing, { now_ms: 0, wants: 1000, ahead_ms: 1000 })
  expect(first).toBeGreaterThanOrEqual(Math.floor(rate))
  paceTurn(pacing, { now_ms: 0, started: -first, wants: 0, ahead_ms: 0 })
  expect(pacing.started).toBe(0)
  expect(paceTurn(pacing, { now_ms: 0, started: 1000, wants: 1000, ahead_ms: 1000 })).toBe(0)
})

it('begins nothing that the rest of a limit does not hold, but tries again within a minute', () => {
  const pacing = startPacing(0)
  const reports = [reported({ left: 0, reset_ms: 3_600_000, window_ms: 3_600_000 })]
  paceTurn(pacing, { now_ms: 0, reports, wants: 0, ahead_ms: 0 })
  expect(paceTurn(pacing, { now_ms: 2000, wants: 10, ahead_ms: 100 })).toBe(0)
  expect(paceTurn(pacing, { now_ms: 61_000, wants: 10, ahead_ms: 100 })).toBeGreaterThan(0)
})

it('gives finite permits and tries again within a minute, whatever answers tell', () => {
  let state = 11
  const number = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  const one = <T>(of: readonly T[]): T => of[number(of.length)]!
  for (let nth = 0; nth < 300; nth++) {
    const pacing = startPacing(0)
    let now_ms = 0
    for (let turn = 0; turn < 60; turn++) {
      now_ms += one([0, 1, 20, 200, 3000])
      const reports = Array.from({ length: number(4) }, () => ({
        of: one(['requests', 'tokens'] as const),
        amount: one([null, 0, 1, 50, 50, 600, 1e15]),
        left: one([0, 1, 49, 50, 600, 1e15]),
        reset_ms: one([null, null, 0, 1, 1000, 59_000, 1e12]),
        window_ms: one([null, null, 0, 1000, 60_000, 86_400_000]),
        began_ms: now_ms - number(9000),
        at_ms: now_ms - number(200),
      }))
      const happened = { reports, started: number(5) - 1, served: number(9), refused: number(3) >> 1 }
      const permits = paceTurn(pacing, { now_ms, ...happened, wants: number(300), ahead_ms: 200 })
      expect(permits).toBeGreaterThanOrEqual(0)
      expect(permits).toBeLessThanOrEqual(300)
      Object.assign(pacing, JSON.parse(JSON.stringify(pacing)))
    }
    expect(JSON.stringify(pacing)).not.toMatch(/:null,"(started|served|refused|next_ms|cost|left)/)
    const later = [1, 2, 3].map(n =>
      paceTurn(pacing, { now_ms: now_ms + n * 61_000, wants: 5, ahead_ms: 200 }),
    )
    expect(Math.max(...later), JSON.stringify(pacing)).toBeGreaterThan(0)
  }
})

describe('turns that give ahead', () => {
  it.for([200, 60, 1000])('let no more through than the limit, %i ms apart', each_ms => {
    const pacing = startPacing(0)
    const declared = { requests: '1800/min' }
    let began = 0
    for (let now_ms = 0; now_ms < 60_000; now_ms += each_ms)
      began += paceTurn(pacing, { now_ms, declared, wants: 256, ahead_ms: 2 * each_ms })
    // Of the last turn up to two turns' worth start later.
    expect(began).toBeGreaterThan(1800 * 0.97)
    expect(began).toBeLessThan(1800 * 1.005 + (30 * 2 * each_ms) / 1000)
  })

  it('let no more through than what people set where answers report more', () => {
    const pacing = startPacing(0)
    const declared = { requests: '1800/min' }
    const report = {
      of: 'requests' as const,
      amount: 100_000,
      left: 99_000,
      reset_ms: 600,
      window_ms: 60_000,
    }
    let began = 0
    for (let now_ms = 0; now_ms < 60_000; now_ms += 200) {
      const reports = [{ ...report, began_ms: now_ms, at_ms: now_ms }]
      began += paceTurn(pacing, { now_ms, declared, reports, served: 6, wants: 256, ahead_ms: 400 })
    }
    expect(began).toBeGreaterThan(1800 * 0.97)
    expect(began).toBeLessThan(1800 * 1.005 + 12)
  })

  it('make up for one that came late, as far as spreading leaves something over', () => {
    const pacing = startPacing(0)
    const take = (now_ms: number) =>
      paceTurn(pacing, { now_ms, declared: { requests: '1800/min' }, wants: 256, ahead_ms: 400 })
    for (let now_ms = 0; now_ms <= 10_000; now_ms += 200) take(now_ms)
    // The second before is made up for; of five seconds the latest 900 ms are, besides the 400 ahead.
    expect(Math.abs(take(11_000) - 29.55)).toBeLessThan(1)
    expect(Math.abs(take(16_000) - 1.3 * 29.55)).toBeLessThan(1.5)
  })

  it('go on at once at a pace that has risen', () => {
    const pacing = startPacing(0)
    expect(paceTurn(pacing, { now_ms: 0, declared: { requests: '6/min' }, wants: 9, ahead_ms: 400 })).toBe(1)
    const turn = { now_ms: 200, declared: { requests: '600/min' }, wants: 9, ahead_ms: 400 }
    expect(paceTurn(pacing, turn)).toBe(0)
    expect(paceTurn(pacing, { ...turn, now_ms: 600 })).toBeGreaterThan(2)
  })
})
