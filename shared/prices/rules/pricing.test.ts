import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Consumption, centsOf, costMicro, covers, type Price, usdOf } from './pricing.ts'

describe('the cost of a call', () => {
  const mini: Price = { input_per_mtok: 0.15, output_per_mtok: 0.6, cached_input_per_mtok: 0.075 }

  it('is the tokens at their prices, with cached ones at their own', () => {
    expect(costMicro({ input_tokens: 1000, output_tokens: 500 }, mini)).toBe(450)
    expect(costMicro({ input_tokens: 1000, output_tokens: 500, cached_input_tokens: 400 }, mini)).toBe(420)
  })

  it('uses the input price for cached tokens if there is no other', () => {
    const price = { input_per_mtok: 3, output_per_mtok: 15 }
    expect(costMicro({ input_tokens: 100, output_tokens: 0, cached_input_tokens: 50 }, price)).toBe(300)
  })

  it('is rounded up, so that one token is not free, and no tokens cost nothing', () => {
    expect(costMicro({ input_tokens: 1, output_tokens: 0 }, mini)).toBe(1)
    expect(costMicro({ input_tokens: 0, output_tokens: 0 }, mini)).toBe(0)
  })

  it('is not negative when a report has more cached tokens than tokens', () => {
    expect(costMicro({ input_tokens: 10, output_tokens: 0, cached_input_tokens: 1000 }, mini)).toBe(1)
  })

  it('is not multiplied for a service tier without a factor, however it is named', () => {
    const price: Price = { ...mini, service: { batch: 0.5 } }
    const cost = (service_tier: string) =>
      costMicro({ input_tokens: 1000, output_tokens: 500, service_tier }, price)
    expect(['batch', 'fast', 'constructor', '__proto__', 'toString'].map(cost)).toEqual([
      225, 450, 450, 450, 450,
    ])
  })

  it('of a long prompt is that of its tier, for all its tokens', () => {
    const tiered: Price = {
      input_per_mtok: 1,
      output_per_mtok: 2,
      above: [
        { tokens: 100, input_per_mtok: 10, output_per_mtok: 20 },
        { tokens: 200, input_per_mtok: 100 },
      ],
    }
    const of = (input_tokens: number) => costMicro({ input_tokens, output_tokens: 1 }, tiered)
    expect([of(100), of(101), of(201)]).toEqual([102, 1030, 20_100])
  })

  it('of several calls is in the tier of the longest or average prompt, and includes the price of each call', () => {
    const price: Price = {
      input_per_mtok: 1,
      per_call: 0.01,
      above: [{ tokens: 200_000, input_per_mtok: 2 }],
    }
    const of = (more: Partial<Consumption>) =>
      costMicro({ input_tokens: 300_000, output_tokens: 0, ...more }, price)
    expect(of({})).toBe(600_000 + 10_000)
    expect(of({ calls: 3 })).toBe(300_000 + 30_000)
    expect(of({ calls: 3, longest_input_tokens: 200_000 })).toBe(300_000 + 30_000)
    expect(of({ calls: 3, longest_input_tokens: 200_001 })).toBe(600_000 + 30_000)
  })

  it('includes cache writes and audio at their own prices', () => {
    const price: Price = {
      input_per_mtok: 1,
      output_per_mtok: 2,
      cached_input_per_mtok: 0.1,
      cache_write_per_mtok: 10,
      input_audio_per_mtok: 100,
      output_audio_per_mtok: 1000,
    }
    const usage = {
      input_tokens: 40,
      cached_input_tokens: 10,
      cache_write_tokens: 10,
      input_audio_tokens: 10,
      output_tokens: 20,
      output_audio_tokens: 10,
    }
    expect(costMicro(usage, price)).toBe(10 + 1 + 100 + 1000 + 20 + 10_000)
  })

  it('includes calls, searches and hours of audio, and the factor of the service tier', () => {
    const price: Price = {
      input_per_mtok: 1,
      per_call: 0.01,
      per_search: 0.005,
      per_audio_hour: 0.36,
      service: { batch: 0.5 },
    }
    const usage = { input_tokens: 1000, output_tokens: 0, searches: 2, audio_seconds: 10 }
    expect(costMicro(usage, price)).toBe(1000 + 10_000 + 10_000 + 1000)
    expect(costMicro({ ...usage, service_tier: 'batch' }, price)).toBe(11_000)
    expect(costMicro({ ...usage, service_tier: 'priority' }, price)).toBe(22_000)
  })

  it('is known only if the price has the units of the call', () => {
    const none = { input_tokens: 0, output_tokens: 0 }
    const tokens: Price = { input_per_mtok: 1 }
    expect(covers(tokens, { ...none, input_tokens: 5 })).toBe(true)
    expect(covers(tokens, { input_tokens: 5, output_tokens: 5 })).toBe(false)
    expect(covers(tokens, { ...none, audio_seconds: 5 })).toBe(false)
    expect(covers({ per_audio_hour: 1 }, { ...none, audio_seconds: 5 })).toBe(true)
    expect(covers({ per_audio_hour: 1 }, { ...none, input_tokens: 5 })).toBe(false)
    expect(covers(tokens, { ...none, searches: 1 })).toBe(false)
    expect(covers(tokens, { ...none, images: 1 })).toBe(false)
  })

  it('is never negative, whatever the counts and prices are', () => {
    const count = fc.option(fc.integer({ min: 0, max: 100_000_000 }), { nil: undefined })
    const usage = fc.record({
      input_tokens: fc.nat(100_000_000),
      output_tokens: fc.nat(100_000_000),
      cached_input_tokens: count,
      cache_write_tokens: count,
      input_audio_tokens: count,
      output_audio_tokens: count,
      searches: count,
    })
    const rate = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined })
    const rates = {
      input_per_mtok: rate,
      output_per_mtok: rate,
      cached_input_per_mtok: rate,
      cache_write_per_mtok: rate,
      input_audio_per_mtok: rate,
      output_audio_per_mtok: rate,
    }
    fc.assert(
      fc.property(usage, fc.record(rates), (usage, price) => {
        const cost = costMicro(usage as Consumption, price as Price)
        expect(cost).toBeGreaterThanOrEqual(0)
        expect(Number.isSafeInteger(cost)).toBe(true)
      }),
    )
  })

  it('is exact to the last micro-dollar for millions of tokens', () => {
    const usage = { input_tokens: 12_406_921 + 19_000_230, output_tokens: 17_095_804 }
    const price = { input_per_mtok: 0.88452, cached_input_per_mtok: 1.41342, output_per_mtok: 1.62413 }
    expect(costMicro({ ...usage, cached_input_tokens: 19_000_230 }, price)).toBe(65_595_284)
  })

  it('is exact for prices of up to five decimals, and to one micro-dollar from 1,000 dollars on', () => {
    const tokens = fc.integer({ min: 0, max: 20_000_000 })
    const price = fc.integer({ min: 1, max: 60_000_000 })
    fc.assert(
      fc.property(tokens, tokens, tokens, price, price, price, (fresh, cached, out, a, b, c) => {
        const exact = BigInt(fresh) * BigInt(a) + BigInt(cached) * BigInt(b) + BigInt(out) * BigInt(c)
        const cost = costMicro(
          { input_tokens: fresh + cached, output_tokens: out, cached_input_tokens: cached },
          { input_per_mtok: a / 1e5, cached_input_per_mtok: b / 1e5, output_per_mtok: c / 1e5 },
        )
        const rounded = (exact + 99_999n) / 100_000n
        // Beyond a thousand dollars a call, doubles are not exact to the last micro-dollar.
        if (rounded < 1_000_000_000n) expect(cost).toBe(Number(rounded))
        else expect(Math.abs(cost - Number(rounded))).toBeLessThanOrEqual(1)
      }),
    )
  })
})

it('cents round half up', () => {
  expect([0, 4_999, 5_000, 14_999, 15_000, 1_000_000].map(centsOf)).toEqual([0, 0, 1, 1, 2, 100])
})

it('dollars keep every micro-dollar', () => {
  expect(usdOf(1_234_567)).toBe(1.234567)
})
