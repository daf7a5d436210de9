// Compares the list that Assay ships with the library that its data is from.

import { calcPrice, findProvider } from '@pydantic/genai-prices'
import { describe, expect, it } from 'vitest'
import { priceList } from './price-book.ts'
import { type ListedProvider, type Match, priceAt } from './price-data.ts'
import { PRICES_AS_OF, pricesText } from './price-list.gen.ts'
import { PriceList } from './price-list.ts'
import { costMicro } from './pricing.ts'

const listed = JSON.parse(pricesText()) as ListedProvider[]
const NOON = Date.parse('2026-10-01T12:00:00Z')
const find = (model: string, host?: string) => priceList().find(model, host)
const priceOf = (model: string, host?: string) => {
  const found = find(model, host)
  return found && priceAt(found, NOON)
}

it('the price list has a date', () => {
  expect(new Date(PRICES_AS_OF).toISOString().slice(0, 10)).toBe(PRICES_AS_OF)
})

/** A name that a match accepts, if one can be read from it. */
function nameOf(match: Match): string | undefined {
  if ('or' in match) return match.or.map(nameOf).find(name => name !== undefined)
  if ('equals' in match) return match.equals
  if ('starts_with' in match) return match.starts_with
  return undefined
}

describe.each(listed.map(provider => [provider.id, provider] as const))('models of %s', (id, { models }) => {
  it('cost what the library calculates, in every tier', () => {
    const provider = findProvider({ providerId: id })!
    const list = new PriceList(listed)
    let compared = 0
    // The library takes 0.2 ms for a price, so of a provider with hundreds of models only some are compared.
    const every = Math.ceil(models.length / 60)
    for (const { match } of models.filter((_, at) => at % every === 0)) {
      const name = nameOf(match)
      if (name === undefined) continue
      for (const input_tokens of [1000, 150_000, 300_000]) {
        const usage = { input_tokens, cache_read_tokens: 300, cache_write_tokens: 200, output_tokens: 500 }
        const theirs = calcPrice(usage, name, { provider, timestamp: new Date(NOON) })
        const found = list.find(name, id)
        if (theirs === null || found?.provider !== id || found.model !== theirs.model.id) continue
        const call = { input_tokens, cached_input_tokens: 300, cache_write_tokens: 200, output_tokens: 500 }
        const ours = costMicro(call, priceAt(found, NOON))
        expect([name, ours]).toEqual([name, expect.closeTo(theirs.total_price * 1e6, -0.4)])
        compared++
      }
    }
    expect(compared).toBeGreaterThan(0)
  })
})

describe('a model is found', () => {
  it.each([
    ['gpt-4o', 'openai', 'gpt-4o'],
    ['gpt-4o-2024-08-06', 'openai', 'gpt-4o'],
    ['gpt-4o-mini-2024-07-18', 'openai', 'gpt-4o-mini'],
    ['openai/gpt-4o', 'openai', 'gpt-4o'],
    ['openai/gpt-4o-2024-08-06', 'openai', 'gpt-4o'],
    ['azure/gpt-4o', 'azure', 'gpt-4o'],
    ['gpt-5-2025-08-07', 'openai', 'gpt-5'],
    ['o3-2025-04-16', 'openai', 'o3'],
    ['text-embedding-3-small', 'openai', 'text-embedding-3-small'],
    ['ft:gpt-4o-mini-2024-07-18:org::id', 'openai', 'ft:gpt-4o-mini'],
    ['claude-sonnet-4-5-20250929', 'anthropic', 'claude-sonnet-4-5'],
    ['claude-opus-4-1@20250805', 'anthropic', 'claude-opus-4-1'],
    ['anthropic/claude-haiku-4-5', 'anthropic', 'claude-haiku-4-5'],
    [
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'aws',
      'regional.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ],
    [
      'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'aws',
      'regional.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ],
    ['arn:aws:bedrock:us-east-1:1:inference-profile/amazon.nova-lite-v1:0', 'aws', 'amazon.nova-lite-v1:0'],
    ['models/gemini-2.5-pro', 'google', 'gemini-2.5-pro'],
    ['publishers/google/models/gemini-2.5-pro', 'google', 'gemini-2.5-pro'],
    ['vertex_ai/gemini-2.5-flash', 'google', 'gemini-2.5-flash'],
    ['gemini-2.0-flash-001', 'google', 'gemini-2.0-flash'],
    ['mistral/mistral-small-latest', 'mistral', 'mistral-small-latest'],
    ['groq/llama-3.3-70b-versatile', 'groq', 'llama-3.3-70b-versatile'],
    ['meta-llama/llama-4-maverick', 'openrouter', 'meta-llama/llama-4-maverick'],
    ['xai/grok-4', 'x-ai', 'grok-4-0709'],
  ])('%s at %s as %s', (name, provider, model) => {
    expect(find(name)).toMatchObject({ provider, model })
  })

  it('at the host that the answer names, before all others', () => {
    expect(find('openai/gpt-oss-120b', 'groq')).toMatchObject({ provider: 'groq' })
    expect(find('openai/gpt-oss-120b', 'openrouter')).toMatchObject({ provider: 'openrouter' })
    expect(find('gpt-4o', 'openrouter')).toMatchObject({ provider: 'openai' })
  })

  it('under 52 names in use, except four that nobody lists and one that anybody may run [prices.list]', () => {
    const unlisted = NAMES_IN_USE.filter(name => find(name) === undefined)
    expect(NAMES_IN_USE).toHaveLength(52)
    expect(unlisted).toEqual(UNLISTED)
  })

  it('with the price of the moment, if that depends on the date or the time of day', () => {
    const conditional = (constraint: object, price: number) => ({ constraint, prices: { input_mtok: price } })
    const [provider] = [
      {
        id: 'openai',
        models: [
          {
            id: 'm',
            match: { equals: 'm' },
            prices: [
              { prices: { input_mtok: 1 } },
              conditional({ start_date: '2026-03-01' }, 2),
              conditional({ start_time: '22:00:00Z', end_time: '06:00:00Z' }, 3),
            ],
          },
        ],
      } as ListedProvider,
    ]
    const found = new PriceList([provider]).find('m')!
    const at = (time: string) => priceAt(found, Date.parse(time)).input_per_mtok
    const times = [
      '2026-02-28T12:00:00Z',
      '2026-03-01T12:00:00Z',
      '2026-03-01T23:00:00Z',
      '2026-03-01T06:00:00Z',
    ]
    expect(times.map(at)).toEqual([1, 2, 3, 2])
  })
})

describe('a model is unpriced, and not taken for one with a similar name', () => {
  it.each([
    'gpt-4o2',
    'gpt-6',
    'gpt-4.1-99',
    'my-gpt-4o',
    'claude-sonnet-4-7',
    'someone/gpt-4o',
    'someone/claude-sonnet-4-5-20250929',
    'someone/gemini-2.5-pro',
    '-2024-08-06',
    'openai/',
    '/',
    '',
    'constructor',
    '__proto__',
    'unknown',
  ])('%s', name => {
    expect(find(name)).toBeUndefined()
  })
})

it('prices by length of the prompt and for the cache, audio, calls and service tiers are in the list', () => {
  expect(priceOf('claude-sonnet-4-5')).toMatchObject({
    input_per_mtok: 3,
    cached_input_per_mtok: 0.3,
    cache_write_per_mtok: 3.75,
    above: [{ tokens: 200_000, input_per_mtok: 6, output_per_mtok: 22.5 }],
    service: { batch: 0.5 },
  })
  expect(priceOf('gemini-2.5-flash')).toMatchObject({ input_audio_per_mtok: 1 })
  expect(priceOf('whisper-1')).toMatchObject({ per_audio_hour: 0.36 })
  expect(priceOf('sonar')).toMatchObject({ per_call: 0.012 })
})

it('the names nearest to an unlisted one are suggested, the most similar first', () => {
  expect(priceList().nearest('gpt-4.1-minii', 3)).toContain('gpt-4.1')
  expect(priceList().nearest('claude-sonnet-4-5-turbo', 3)[0]).toContain('claude')
  expect(priceList().nearest('our-own-7', 3)).toEqual([])
  expect(priceList().nearest('llama3.1', 3)).not.toContain('whisper-1')
})

/** Names that agents call models by in 2026. */
const NAMES_IN_USE = `gpt-4o gpt-4o-mini gpt-4.1 gpt-5 gpt-5-mini gpt-5-nano o3 o4-mini text-embedding-3-small
  text-embedding-3-large claude-haiku-4-5 claude-sonnet-4-5-20250929 claude-opus-4-1
  anthropic.claude-3-5-sonnet-20241022-v2:0 us.anthropic.claude-sonnet-4-5-20250929-v1:0
  eu.anthropic.claude-haiku-4-5-20251001-v1:0 amazon.nova-lite-v1:0 amazon.nova-pro-v1:0
  meta.llama3-1-70b-instruct-v1:0 gemini-2.5-flash gemini-2.5-flash-lite models/gemini-2.5-pro gemini-3-pro-preview
  mistral-large-latest mistral-small-latest codestral-latest command-r-plus command-a-03-2025 command-r7b-12-2024
  grok-4 grok-4-fast grok-3-mini deepseek-chat kimi-k2-0905-preview moonshotai/kimi-k2-instruct qwen-plus qwen3-max
  sonar sonar-pro openai/gpt-oss-120b gpt-oss-20b llama-3.3-70b-versatile meta-llama/Llama-3.3-70B-Instruct-Turbo
  meta-llama/llama-4-maverick accounts/fireworks/models/llama-v3p1-70b-instruct z-ai/glm-4.6 minimax-m2 voyage-3
  rerank-v3.5 gpt-4o-transcribe whisper-1 ft:gpt-4o-mini-2024-07-18:org::id`.split(/\s+/)

const UNLISTED = [
  'qwen-plus',
  'qwen3-max',
  'openai/gpt-oss-120b',
  'accounts/fireworks/models/llama-v3p1-70b-instruct',
  'rerank-v3.5',
]
