import { describe, expect, it } from 'vitest'
import { duration } from '../../../test/support/provider/moments.ts'
import { retryAfterMs } from './moment.ts'

const NOW = Date.UTC(2026, 10, 29, 12)
const after = (headers: Record<string, string>, body = '') =>
  retryAfterMs({ header: name => headers[name] ?? null, body }, NOW)
const at = (ms: number) => new Date(NOW + ms)

describe('the moment of another call', () => {
  it('is that of retry-after-ms, else of Retry-After, else of the body, else of an empty limit', () => {
    const limit = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '4s' }
    const body = 'Please try again in 3s.'
    expect(after({ 'retry-after-ms': '1500', 'retry-after': '2', ...limit }, body)).toBe(1500)
    expect(after({ 'retry-after': '2', ...limit }, body)).toBe(2000)
    expect(after(limit, body)).toBe(3000)
    expect(after(limit)).toBe(4000)
    expect(after({})).toBeNull()
  })

  it.each([
    ['2', 2000],
    ['1.5', 1500],
    [' 7 ', 7000],
    [at(90_000).toUTCString(), 90_000],
    [at(90_000).toISOString(), 90_000],
    [String((NOW + 5000) / 1000), 5000],
    ['20s', 20_000],
  ])('is read from Retry-After: %s', (text, ms) => {
    expect(after({ 'retry-after': text })).toBe(ms)
  })

  it.each([
    ['Please try again in 6m0s. Visit https://…', 360_000],
    ['Please try again in 1.2s.', 1200],
    ['Please try again in 88ms.', 88],
    ['Please try again in 10h17m5.5s', 37_025_500],
    ['"retryDelay": "34s"', 34_000],
    ['"retryDelay":"34.5s"', 34_500],
    ['\\nPlease retry in 34.07s.', 34_070],
    ['Please retry after 12 seconds.', 12_000],
    ['Try again in 1 minute 5 seconds', 65_000],
    ['Try again in 2 minutes.', 120_000],
    ['{"error":"busy","retry_after":2.5}', 2500],
    ['{"error":"is currently loading","estimated_time":20.0}', 20_000],
    [`{"metadata":{"headers":{"X-RateLimit-Reset":"${NOW + 7000}"}}}`, 7000],
    ['Please try again in a while, or retry in 3s', 3000],
  ])('is read from a body: %s', (body, ms) => {
    expect(after({}, body)).toBe(ms)
  })

  it('is read as OpenAI writes durations, however long they are', () => {
    for (const ms of [1, 88, 999, 1200, 59_990, 60_000, 361_230, 86_399_000])
      expect(after({}, `Please try again in ${duration(ms)}.`)).toBe(ms)
  })

  it.each<[string, Record<string, string>, number]>([
    ['OpenAI', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
    ['Groq', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '2m59.56s' }, 179_560],
    ['Azure', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '10' }, 10_000],
    [
      'Cerebras',
      { 'x-ratelimit-remaining-tokens-minute': '0', 'x-ratelimit-reset-tokens-minute': '4.5' },
      4500,
    ],
    [
      'Anthropic',
      {
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-29T12:00:30Z',
        'anthropic-ratelimit-requests-remaining': '12',
        'anthropic-ratelimit-requests-reset': '2026-11-29T12:09:00Z',
      },
      30_000,
    ],
    ['OpenRouter', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW + 8000) }, 8000],
    ['GitHub', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 8) }, 8000],
    ['Mistral', { 'ratelimitbysize-remaining': '0', 'ratelimitbysize-reset': '21' }, 21_000],
    ['the older fields', { 'ratelimit-remaining': '0', 'ratelimit-reset': '50' }, 50_000],
    ['an older field', { ratelimit: 'limit=100, remaining=0, reset=50' }, 50_000],
    ['the standard', { ratelimit: '"default";r=0;t=30' }, 30_000],
    ['the standard, of two', { ratelimit: '"minute";r=7;t=30, "day"; r=0; t=400' }, 400_000],
    [
      'a policy',
      { ratelimit: '"default";r=0', 'ratelimit-policy': '"burst";q=9;w=1, "default";q=100;w=60' },
      60_000,
    ],
    [
      'the later of two that are empty',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '9s',
      },
      9000,
    ],
  ])('is the reset of an empty limit: %s', (_whose, headers, ms) => {
    expect(after(headers)).toBe(ms)
  })

  it('is no reset of a limit that has something left', () => {
    expect(after({ 'x-ratelimit-remaining-tokens': '3', 'x-ratelimit-reset-tokens': '6m0s' })).toBeNull()
    expect(after({ ratelimit: '"default";r=1;t=30, "x";r=0.5;t=3' })).toBeNull()
  })

  it('is null for figures that mean nothing: Azure’s, negative ones, past ones, and those of over 30 days', () => {
    for (const text of [
      '-1',
      '0',
      '',
      'NaN',
      'soon',
      'Infinity',
      '1e3',
      '9999999',
      '0x10',
      at(-5000).toUTCString(),
      '9'.repeat(400),
    ])
      expect([
        text,
        after({ 'retry-after': text, 'retry-after-ms': text === '9999999' ? '-1' : text }),
      ]).toEqual([text, null])
    const azure = {
      'x-ratelimit-limit-requests': '0',
      'x-ratelimit-remaining-requests': '-1',
      'x-ratelimit-reset-requests': '0',
    }
    expect(after(azure)).toBeNull()
    expect(
      after({
        'x-ratelimit-limit-tokens': '0',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '60',
      }),
    ).toBeNull()
    expect(after({ 'x-ratelimit-remaining-tokens': '0' })).toBeNull()
    expect(after({ ratelimit: '"default";r=0' })).toBeNull()
    expect(after({}, 'try again in 31 days')).toBeNull()
    expect(after({}, 'try again later; retry in parts')).toBeNull()
  })
})
