// Checks what the double of a provider counts: what calls take of its limits before and after their answers, by whose names it
// tells so, and what it remembers as used of each limit.

import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ModelProvider, type Settings, startProvider } from '../provider.ts'
import { COSTS, useAfter, useBefore } from './cost.ts'
import { Limits, type Use } from './limits.ts'
import { limitHeaders, withoutResets } from './moments.ts'
import type { Cost, HeaderNames, Limit } from './settings.ts'
import { PlacesUsed, type Spent } from './spent.ts'

/** Of a hundred tokens, whose answer may have forty. */
const before = (cost: Cost, most = 40) => useBefore(cost, 100, most)
const always = () => 1

describe('costs', () => {
  it('are counted before the answer as each provider does', () => {
    const larger = { requests: 1, tokens: 100, input_tokens: 100, output_tokens: 40 }
    expect(before(COSTS.openai)).toEqual(larger)
    expect(before(COSTS.openai, 400).tokens).toBe(400)
    expect(before(COSTS.bedrock).tokens).toBe(140)
    expect(before(COSTS.anthropic)).toMatchObject({ input_tokens: 100, output_tokens: 0 })
    expect(before(COSTS.gemini, 400).tokens).toBe(100)
    expect(useAfter(before(COSTS.bedrock), 12)).toEqual({
      requests: 1,
      tokens: 112,
      input_tokens: 100,
      output_tokens: 12,
    })
  })

  const reserved = before(COSTS.bedrock)
  const used = useAfter(reserved, 12)
  const lefts = (limits: Limit[], takenAt: number, answeredAt: number) => {
    const limited = new Limits(limits, 0)
    limited.take(reserved, takenAt)
    limited.settle(reserved, used, takenAt, answeredAt)
    return limited.levels(answeredAt).map(({ left }) => left)
  }

  it('are given back to a bucket after the answer, up to what it holds', () => {
    const bucket: Limit = { of: 'tokens', amount: 1000, per_s: 1000, kind: 'bucket' }
    expect(lefts([bucket], 0, 10_000)).toEqual([1000 - 112 + 10])
    expect(lefts([bucket], 0, 130_000)).toEqual([1000])
  })

  it('are given back to the window that they were taken from', () => {
    const window: Limit = { of: 'tokens', amount: 1000, per_s: 10, kind: 'window' }
    expect([lefts([window], 0, 9000), lefts([window], 0, 11_000)]).toEqual([[888], [1000]])
  })

  it('are taken after the answer where only that shows them, even beyond the limit', () => {
    const output: Limit = { of: 'output_tokens', amount: 10, per_s: 10, kind: 'bucket' }
    const limited = new Limits([output], 0)
    const late: [Use, Use] = [before(COSTS.anthropic), used]
    expect(limited.take(late[0], 0)).toBe(null)
    limited.settle(...late, 0, 0)
    expect(limited.take({ ...late[0], output_tokens: 1 }, 2000)).toMatchObject({ left: 0, wait_ms: 1000 })
  })
})

describe('windows', () => {
  it('may have started before the first call', () => {
    const window: Limit = { of: 'requests', amount: 1, per_s: 10, kind: 'window', offset_s: 7 }
    const limited = new Limits([window], 0)
    const use = before(COSTS.openai)
    expect([0, 2999, 3000, 12_999, 13_000].map(now => limited.take(use, now) === null)).toEqual([
      true,
      false,
      true,
      false,
      true,
    ])
    expect(limited.levels(14_000)[0]).toMatchObject({ left: 0, reset_ms: 9000 })
  })
})

describe('what is remembered as used', () => {
  const use = before(COSTS.openai)

  it('is what a bucket gave in each second, beside what flowed in', () => {
    const limited = new Limits([{ of: 'requests', amount: 120, per_s: 60, kind: 'bucket', burst: 3 }], 0)
    for (const now of [0, 100, 200, 300, 1200]) limited.take(use, now)
    const [spent] = limited.spent(2500, second => (second < 2 ? 1 : 0.5))
    expect(spent).toEqual({
      of: 'requests',
      kind: 'bucket',
      per_s: 60,
      held: 3,
      spans: [
        { from_s: 0, to_s: 1, taken: 3, allowed: 2 },
        { from_s: 1, to_s: 2, taken: 1, allowed: 2 },
        { from_s: 2, to_s: 3, taken: 0, allowed: 1 },
      ],
    })
  })

  it('is what each window gave, after what was given back', () => {
    const window: Limit = { of: 'tokens', amount: 500, per_s: 10, kind: 'window', offset_s: 4 }
    const limited = new Limits([window], 0)
    limited.take(use, 1000)
    limited.take(use, 7000)
    limited.settle(use, { ...use, tokens: 60 }, 7000, 8000)
    const [spent] = limited.spent(9000, always)
    expect(spent).toMatchObject({ held: 0, kind: 'window' })
    expect(spent!.spans).toEqual([
      { from_s: -4, to_s: 6, taken: 100, allowed: 500 },
      { from_s: 6, to_s: 16, taken: 60, allowed: 500 },
    ])
  })

  it('is the time in which places were held', () => {
    const used = new PlacesUsed()
    used.add(0.5, 2.25)
    used.add(1, 1.5)
    const taken = used.spent(4, 2.25).spans.map(span => [span.taken, span.allowed])
    expect(taken).toEqual([
      [0.5, 4],
      [1.5, 4],
      [0.25, 4],
    ])
  })
})

describe('names of headers', () => {
  const limits: Limit[] = [
    { of: 'requests', amount: 100, per_s: 60, kind: 'window' },
    { of: 'tokens', amount: 5000, per_s: 10, kind: 'window' },
  ]
  const headers = (names: HeaderNames) => {
    const limited = new Limits(limits, 0)
    limited.take(before(COSTS.openai), 0)
    return limitHeaders(names, limited.levels(500), { now: 500, isRefusal: false })
  }

  it('may be the standard fields', () => {
    const standard = headers('standard')
    expect(standard).toEqual({
      'ratelimit-policy': '"requests-60s";q=100;w=60, "tokens-10s";q=5000;w=10',
      ratelimit: '"requests-60s";r=99;t=60, "tokens-10s";r=4900;t=10',
    })
    expect(withoutResets(standard).ratelimit).toBe('"requests-60s";r=99, "tokens-10s";r=4900')
  })

  it("may be Mistral's, without resets, or none", () => {
    expect(headers('mistral')).toEqual({
      'x-ratelimit-limit-req-minute': '100',
      'x-ratelimit-remaining-req-minute': '99',
      'x-ratelimit-limit-tokens-minute': '5000',
      'x-ratelimit-remaining-tokens-minute': '4900',
    })
    expect(headers('none')).toEqual({})
  })

  it('have numbers of Azure that mean nothing for a limit that a deployment does not have', () => {
    const [requests] = new Limits(limits.slice(0, 1), 0).levels(0)
    expect(limitHeaders('azure', [requests!], { now: 0, isRefusal: false })).toMatchObject({
      'x-ratelimit-remaining-requests': '100',
      'x-ratelimit-limit-tokens': '0',
      'x-ratelimit-remaining-tokens': '-1',
    })
  })
})

describe('over HTTP', () => {
  let double: ModelProvider
  beforeAll(async () => {
    double = await startProvider()
  })
  afterAll(() => double.close())

  const minute = { per_s: 3600, kind: 'window' as const }
  /** @returns what is left in the headers of two answers, and what was used of each limit */
  async function twice(settings: Partial<Settings>): Promise<{ left: (string | null)[]; limits: Spent[] }> {
    double.set('key', { latency: { median_ms: 0, sigma: 0 }, ...settings })
    const client = new OpenAI({ apiKey: 'key', baseURL: `${double.url}/v1`, maxRetries: 0 })
    const left: (string | null)[] = []
    for (const item of ['item-1', 'item-2']) {
      const request = { model: 'm', max_tokens: 500, messages: [{ role: 'user' as const, content: item }] }
      const { response } = await client.chat.completions.create(request).withResponse()
      left.push(response.headers.get('x-ratelimit-remaining-tokens'))
    }
    return { left, limits: double.counts('key').limits }
  }

  it('keeps the most tokens of an answer, or gives back what it did not use', async () => {
    const limits: Limit[] = [{ of: 'tokens', amount: 2000, ...minute }]
    const kept = await twice({ limits })
    expect(kept.left).toEqual(['1500', '1000'])
    expect(kept.limits[0]!.spans[0]).toMatchObject({ taken: 1000, allowed: 2000 })
    const back = await twice({ limits, cost: { before: 'sum', settles: true }, output_tokens: 30 })
    const { taken } = back.limits[0]!.spans[0]!
    expect(taken).toBeLessThan(200)
    expect(back.left[1]).toBe(String(2000 - taken))
  })

  it('knows when calls began, how long they took and what places they held', async () => {
    const { limits } = await twice({ places: 2, latency: { median_ms: 100, sigma: 0 } })
    const [places] = limits
    const taken = places!.spans.reduce((sum, span) => sum + span.taken, 0)
    expect([places!.of, places!.spans[0]!.allowed]).toEqual(['places', 2])
    expect([taken > 0.19, taken < 0.5]).toEqual([true, true])
    const { median_ms, last_call_s, last_item_s } = double.counts('key')
    expect(median_ms).toBeGreaterThan(98)
    expect([last_call_s > 0.09, last_item_s === last_call_s]).toEqual([true, true])
  })
})
