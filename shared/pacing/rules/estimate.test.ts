import { describe, expect, it } from 'vitest'
import { type EstimateFacts, estimateOf, type NeededUpstream, sayEstimate } from './estimate.ts'
import { paceTurn, startPacing } from './pacing.ts'
import type { LimitReport } from './tracked-limit.ts'

const NOW = 1_000_000_000
const upstream = (more: Partial<NeededUpstream> = {}): NeededUpstream => ({
  name: 'api.openai.com (OPENAI_API_KEY)',
  pacing: null,
  declared: {},
  asks: { calls: 1, tokens: 400, input_tokens: 300 },
  others: [],
  opens_ms: 0,
  ...more,
})
const facts = (more: Partial<EstimateFacts> = {}): EstimateFacts => ({
  now_ms: NOW,
  queued: 6000,
  running: 0,
  item: { calls: 1, seconds: 2 },
  upstreams: [],
  caps: [{ places: 256, others: [] }],
  pace: null,
  ...more,
})
const secondsOf = (more: Partial<EstimateFacts>) => estimateOf(facts(more)).seconds

/** What is known of an upstream whose answers reported a limit. */
function reported(report: Partial<LimitReport>, ago_ms = 0) {
  const at_ms = NOW - ago_ms
  const pacing = startPacing(at_ms - 60_000)
  for (const began of [20_000, 10_000, 0])
    paceTurn(pacing, {
      now_ms: at_ms - began,
      started: 10,
      served: 10,
      wants: 0,
      ahead_ms: 0,
      reports: [
        {
          of: 'requests',
          amount: 600,
          reset_ms: 0,
          window_ms: 60_000,
          began_ms: at_ms - began,
          at_ms: at_ms - began,
          ...report,
          left: (report.left ?? 600) + (report.reset_ms ? began / 1000 : 0),
        },
      ],
    })
  return pacing
}

describe('what binds a run', () => {
  it('are the tokens that a person allows', () => {
    const found = estimateOf(facts({ upstreams: [upstream({ declared: { tokens: '200000/min' } })] }))
    expect(found).toMatchObject({ bound: 'limit' })
    expect(found.seconds).toBeCloseTo((6000 * 400 * 60) / 200_000 / 0.985, 0)
    expect(sayEstimate(found)).toBe(
      'about 12 min 11 s at 200,000 tokens a minute of api.openai.com (OPENAI_API_KEY)',
    )
  })

  it('is the lowest of several limits, of one upstream or of two', () => {
    const both = upstream({ declared: { tokens: '200000/min', requests: '60/min' } })
    expect(estimateOf(facts({ upstreams: [both] })).at).toBe(
      '60 requests a minute of api.openai.com (OPENAI_API_KEY)',
    )
    const other = upstream({ name: 'api.two.test', declared: { requests: '30/min' } })
    expect(estimateOf(facts({ upstreams: [both, other] })).at).toBe('30 requests a minute of api.two.test')
  })

  it('are places, where these are fewer than limits allow', () => {
    const found = estimateOf(
      facts({
        caps: [
          { places: 20, others: [] },
          { places: 256, others: [] },
        ],
      }),
    )
    expect(found).toMatchObject({ seconds: 600, bound: 'places', at: '20 items at once' })
    expect(estimateOf(facts({ caps: [{ places: 1, others: [] }] })).at).toBe('1 item at once')
  })

  it('are the items that people allow in flight', () => {
    const found = estimateOf(facts({ upstreams: [upstream({ declared: { in_flight: 10 } })] }))
    expect(found).toMatchObject({ seconds: 1200, bound: 'in_flight' })
    expect(found.at).toBe('10 in flight of api.openai.com (OPENAI_API_KEY)')
  })

  it('is the pace that was found, where nothing is reported', () => {
    const pacing = { ...startPacing(NOW), searched: 9, peak: 10 }
    const found = estimateOf(facts({ upstreams: [upstream({ pacing })] }))
    expect(found.bound).toBe('found_pace')
    expect(found.seconds).toBeCloseTo(6000 / 9.7, 0)
    expect(found.at).toBe('about 10 calls a second, as fast as calls of api.openai.com (OPENAI_API_KEY)')
  })

  it('is its own pace, where it is much slower than all that is known', () => {
    expect(estimateOf(facts({ pace: 2 }))).toMatchObject({
      seconds: 3000,
      bound: 'pace',
      at: 'about 2 items a second, its pace so far',
    })
    expect(estimateOf(facts({ pace: 0.5 })).at).toBe('about 30 items a minute, its pace so far')
    // A little slower it is bound by the limit nevertheless, and a faster start is a bucket that was full.
    const limited = [upstream({ declared: { requests: '600/min' } })]
    expect(estimateOf(facts({ pace: 9, upstreams: limited }))).toMatchObject({
      bound: 'limit',
      seconds: 6000 / 9,
    })
    const { seconds, bound } = estimateOf(facts({ pace: 90, upstreams: limited }))
    expect([bound, Math.round(seconds)]).toEqual(['limit', 609])
  })
})

describe('limits that answers report', () => {
  it('let through what a full bucket holds besides what flows in', () => {
    const pacing = reported({ left: 600, reset_ms: 0 })
    const found = estimateOf(facts({ queued: 3000, upstreams: [upstream({ pacing })] }))
    expect(found.at).toBe('about 600 requests a minute of api.openai.com (OPENAI_API_KEY)')
    // 3,000 of which 585 are there: what is left over of a bucket is never used.
    expect(found.seconds).toBeCloseTo(241.5, 0)
  })

  it('of which all items have room now take no time', () => {
    const pacing = reported({ left: 600, reset_ms: 0 })
    expect(estimateOf(facts({ queued: 500, upstreams: [upstream({ pacing })] })).bound).toBe('places')
  })

  it('of a day are a stock, which is used as fast as the others allow and comes back at its end', () => {
    const pacing = reported({ amount: 1000, left: 900, reset_ms: 7_200_000, window_ms: 86_400_000 })
    Object.assign(pacing.limits[0]!, { kind: 'window' })
    const limited = (queued: number) => secondsOf({ queued, upstreams: [upstream({ pacing })] })
    expect(limited(500)).toBeLessThan(10)
    expect(limited(1500)).toBeCloseTo(7200, -2)
    expect(limited(2500)).toBeCloseTo(7200 + 86_400, -2)
  })
})

describe('what a call takes of a limit of tokens', () => {
  /** Seconds for one call a second at its tokens, if calls take `cost` as was learned from few. */
  const costing = (cost: number, asks: { tokens: number; input_tokens: number | null }, mean?: number) => {
    const pacing = reported({ of: 'tokens', amount: 60_000, left: 0, reset_ms: 60_000 })
    Object.assign(pacing.limits[0]!, { kind: 'bucket', length_ms: 60_000, holds: 60_000, cost })
    if (mean) Object.assign(pacing.limits[0]!, { mean: { from: {}, cost: mean } })
    const queued = 10_000
    return secondsOf({ queued, upstreams: [upstream({ pacing, asks: { calls: 1, ...asks } })] }) / 10
  }
  const asks = { tokens: 400, input_tokens: 200 }
  it('is what it used, all of it or the input alone, whichever is nearer to what was learned', () => {
    expect(costing(170, asks)).toBeCloseTo(200, 0)
    expect(costing(240, asks)).toBeCloseTo(200, 0)
    expect(costing(450, asks)).toBeCloseTo(400, 0)
  })
  it('is between both where they are near', () => {
    expect(costing(90, { tokens: 220, input_tokens: 200 })).toBeCloseTo(210, 0)
  })
  it('is what was learned, if that is more than it used: some count the most that an answer may have', () => {
    expect(costing(1000, asks)).toBeCloseTo(1000, 0)
    expect(costing(300, { tokens: 0, input_tokens: 0 })).toBeCloseTo(300, 0)
  })
  it('is what calls took for long, once that is known', () => {
    expect(costing(1000, asks, 310)).toBeCloseTo(310, 0)
  })
})

describe('limits of hours and days that people set', () => {
  const daily = (queued: number, used = 0) => {
    const pacing = startPacing(NOW)
    const declared = { requests: '1000/d' }
    paceTurn(pacing, { now_ms: NOW, declared, ended: used, served: used, wants: 0, ahead_ms: 0 })
    return secondsOf({ queued, upstreams: [upstream({ pacing, declared })] })
  }
  it('take no time while there is room', () => {
    expect(daily(1000)).toBeLessThan(10)
    expect(daily(400, 500)).toBeLessThan(10)
  })
  it('let the rest through when a day is over since what was used', () => {
    expect(daily(600, 500) / 3600).toBeGreaterThan(23)
    expect(daily(600, 500) / 3600).toBeLessThan(26)
    expect(daily(2500) / 3600).toBeGreaterThan(46)
    expect(daily(2500) / 3600).toBeLessThan(52)
  })
  it('go on in the same way for years', () => {
    expect(daily(1_000_000) / 86_400).toBeCloseTo(1000, -2)
  })
})

describe('other runs', () => {
  const declared = { requests: '600/min' }
  const other = (items: number) => ({ items, calls: 1, tokens: 400, input_tokens: 300 })
  const alone = secondsOf({ queued: 1000, upstreams: [upstream({ declared })] })

  it('that are larger take as much as this one until it ends, smaller ones what they have', () => {
    const beside = (...items: number[]) =>
      secondsOf({ queued: 1000, upstreams: [upstream({ declared, others: items.map(other) })] })
    expect(beside(9000)).toBeCloseTo(2 * alone)
    expect(beside(500)).toBeCloseTo(1.5 * alone)
    expect(beside(9000, 500)).toBeCloseTo(2.5 * alone)
  })

  it('are named', () => {
    const at = (...items: number[]) =>
      estimateOf(facts({ upstreams: [upstream({ declared, others: items.map(other) })] })).at
    expect(at(5)).toContain('(OPENAI_API_KEY), shared with another run')
    expect(at(5, 5)).toContain('(OPENAI_API_KEY), shared with 2 other runs')
  })

  it('share the places of the project', () => {
    const found = estimateOf(facts({ caps: [{ places: 256, others: [6000] }] }))
    expect(found.seconds).toBeCloseTo((12_000 * 2) / 256)
  })
})

describe('the last call', () => {
  const declared = { requests: '600/min' }
  it('of items of several calls is sent after the last item began, and items at work have calls left', () => {
    const item = { calls: 3, seconds: 30 }
    const one = upstream({ declared, asks: { calls: 3, tokens: 1200, input_tokens: 900 } })
    const found = estimateOf(facts({ queued: 600, running: 90, item, upstreams: [one] }))
    // 30 of the 90 items are still to do.
    expect(found.seconds).toBeCloseTo((630 * 3) / 10 / 0.985 + 20, 0)
    expect(found.ends_s).toBeCloseTo((630 * 3) / 10 / 0.985 + 30, 0)
  })

  it('was sent where all items are at work', () => {
    expect(estimateOf(facts({ queued: 0, running: 5 }))).toMatchObject({ seconds: 0, ends_s: 2 })
  })

  it('waits for an upstream that cools', () => {
    const cooling = upstream({ declared, opens_ms: 90_000 })
    expect(secondsOf({ queued: 600, upstreams: [cooling] })).toBeCloseTo(90 + 60 / 0.985, 0)
  })
})
