import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import list from './prices.json' with { type: 'json' }
import { centsOf, costMicro, type Price, priceOf, usdOf } from './pricing.ts'

const listed: Record<string, Price> = list.models

describe('the price list', () => {
  it.each(Object.entries(listed))('has a sound price for %s', (_, price) => {
    expect(price.input_per_mtok).toBeGreaterThan(0)
    expect(price.output_per_mtok).toBeGreaterThanOrEqual(price.input_per_mtok)
    if (price.cached_input_per_mtok !== undefined) {
      expect(price.cached_input_per_mtok).toBeGreaterThan(0)
      expect(price.cached_input_per_mtok).toBeLessThan(price.input_per_mtok)
    }
  })

  it('says as of when it holds', () => {
    expect(new Date(list.as_of).toISOString().slice(0, 10)).toBe(list.as_of)
  })

  it('prices the model of the local examples', () => {
    expect(priceOf('assay-demo-small')).toEqual({ input_per_mtok: 0.15, output_per_mtok: 0.6 })
  })
})

describe('a model is found', () => {
  it.each([
    ['gpt-4o', 'gpt-4o'],
    ['gpt-4o-2024-08-06', 'gpt-4o'],
    ['gpt-4o-mini-2024-07-18', 'gpt-4o-mini'],
    ['openai/gpt-4o', 'gpt-4o'],
    ['openai/gpt-4o-2024-08-06', 'gpt-4o'],
    ['gpt-4-0613', 'gpt-4'],
    ['gpt-5-2025-08-07', 'gpt-5'],
    ['gpt-5-chat-latest', 'gpt-5-chat'],
    ['o3-2025-04-16', 'o3'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-20250514', 'claude-sonnet-4'],
    ['claude-3-5-haiku-latest', 'claude-3-5-haiku'],
    ['claude-opus-4-1@20250805', 'claude-opus-4-1'],
    ['anthropic/claude-haiku-4-5', 'claude-haiku-4-5'],
    ['anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet'],
    ['models/gemini-2.0-flash', 'gemini-2.0-flash'],
    ['gemini-2.0-flash-001', 'gemini-2.0-flash'],
    ['google/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['mistralai/mistral-small-2506', 'mistral-small-2506'],
    ['groq/llama-3.3-70b-versatile', 'llama-3.3-70b-versatile'],
  ])('%s as %s', (name, known) => {
    expect(priceOf(name)).toBe(listed[known])
    expect(priceOf(name)).toBeDefined()
  })

  it('by its exact name before the name without its date', () => {
    expect(priceOf('gpt-4o-2024-05-13')).toEqual({ input_per_mtok: 5, output_per_mtok: 15 })
  })
})

describe('a model is unpriced, not taken for its neighbour', () => {
  it.each([
    'gpt-4o-audio-preview',
    'gpt-4o-audio-preview-2024-12-17',
    'gpt-4o-realtime-preview',
    'gpt-4o-search-preview',
    'gpt-4o2',
    'gpt-4.5-preview',
    'gpt-6',
    'gpt-4.1-99',
    'claude-sonnet-4-7',
    'claude-opus-5',
    'gemini-2.5-flash-image',
    'gemini-2.5-flash-preview-tts',
    'mistral-large-latest',
    'ft:gpt-4o-mini-2024-07-18:acme::abc',
    'someone/gpt-4o',
    'azure/gpt-4o',
    '-2024-08-06',
    'openai/',
    '',
    'constructor',
    '__proto__',
  ])('%s', name => {
    expect(priceOf(name)).toBeUndefined()
    expect(priceOf(name, {})).toBeUndefined()
  })
})

describe('a project’s own price', () => {
  const own: Price = { input_per_mtok: 1, output_per_mtok: 2 }
  it('wins over the list, for dated and prefixed names as well', () => {
    for (const name of ['gpt-4o', 'gpt-4o-2024-08-06', 'openai/gpt-4o']) {
      expect(priceOf(name, { 'gpt-4o': own })).toBe(own)
    }
    expect(priceOf('gpt-4o-mini', { 'gpt-4o': own })).toBe(listed['gpt-4o-mini'])
  })

  it('names models the list does not know, prefix and all', () => {
    expect(priceOf('someone/model', { 'someone/model': own })).toBe(own)
    expect(priceOf('someone/model-2026-01-01', { 'someone/model': own })).toBe(own)
    expect(priceOf('other/model', { 'someone/model': own })).toBeUndefined()
  })
})

describe('the cost of a call', () => {
  const mini = priceOf('gpt-4o-mini')!

  it('is the tokens at their prices, cached ones at theirs', () => {
    expect(costMicro({ input_tokens: 1000, output_tokens: 500 }, mini)).toBe(450)
    expect(costMicro({ input_tokens: 1000, output_tokens: 500, cached_input_tokens: 400 }, mini)).toBe(420)
  })

  it('takes the input price for cached tokens when there is no other', () => {
    const price = { input_per_mtok: 3, output_per_mtok: 15 }
    expect(costMicro({ input_tokens: 100, output_tokens: 0, cached_input_tokens: 50 }, price)).toBe(300)
  })

  it('is rounded up, so that one token is not free, and nothing is', () => {
    expect(costMicro({ input_tokens: 1, output_tokens: 0 }, mini)).toBe(1)
    expect(costMicro({ input_tokens: 0, output_tokens: 0 }, mini)).toBe(0)
  })

  it('never gets cheaper than nothing when a report claims more cached tokens than tokens', () => {
    expect(costMicro({ input_tokens: 10, output_tokens: 0, cached_input_tokens: 1000 }, mini)).toBe(1)
  })

  it('is exact for prices of up to five decimals and any number of tokens', () => {
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
        // Beyond a thousand dollars a call, doubles leave the last micro-dollar open.
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
