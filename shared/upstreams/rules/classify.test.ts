import { describe, expect, it } from 'vitest'
import { errorEvent, goodAnswer, goodEvents } from '../../../test/support/provider/answers.ts'
import type { Call, Interface } from '../../../test/support/provider/calls.ts'
import { WAYS } from '../../../test/support/provider/moments.ts'
import { ANSWERED, type Answered, PROVIDERS, type Provider } from '../../../test/support/provider/settings.ts'
import type { Facts } from '../../../test/support/provider/words/row.ts'
import { WORDS } from '../../../test/support/provider/words.ts'
import { openaiError as error, pageOf as page, seen } from '../../../test/support/seen-answer.ts'
import type { Fault } from '../vocabulary.ts'
import { classify, type SeenAnswer } from './classify.ts'

const NOW = Date.UTC(2026, 10, 29)

const faultOf = (answer: SeenAnswer) => classify(answer, NOW)?.fault

describe('every kind of failure of the double', () => {
  const facts = (provider: Provider): Facts => ({
    model: 'model-1',
    ways: WAYS[provider],
    wait_ms: 6000,
    now: NOW,
    limit: { of: 'tokens', per_s: 60, amount: 30_000, left: 100, requested: 900 },
  })
  const tooLarge = (provider: Provider): Facts => {
    const given = facts(provider)
    return { ...given, limit: { ...given.limit, left: 30_000, requested: 45_000 } }
  }
  const MOST: Record<Answered, Fault> = {
    rate: 'rate',
    too_large: 'rate', // most providers say nothing that tells it from a limit that is used up
    overloaded: 'overloaded',
    server_error: 'overloaded',
    bad_gateway: 'away',
    unavailable: 'overloaded',
    gateway_timeout: 'cut',
    error_in_200: 'provider_error',
    quota: 'quota',
    credit: 'quota',
    spend_limit: 'quota',
    unauthorized: 'refused',
    forbidden: 'refused',
    forbidden_input: 'rejected',
    forbidden_bare: 'refused',
  }
  const OWN: Partial<Record<Provider, Partial<Record<Answered, Fault>>>> = {
    openai: { too_large: 'rejected' },
    azure: { overloaded: 'rate' },
    anthropic: { overloaded: 'rate', error_in_200: 'rate', unavailable: 'away' },
    gemini: { error_in_200: 'overloaded', quota: 'rate' },
    groq: { too_large: 'rejected', unavailable: 'away' },
    openrouter: { overloaded: 'rate', error_in_200: 'away', unavailable: 'away' },
    vllm: { overloaded: 'away', unavailable: 'away' },
  }
  const rows = PROVIDERS.flatMap(provider => ANSWERED.map(kind => ({ provider, kind })))

  it.each(rows)('$provider $kind has its fault', ({ provider, kind }) => {
    const words = WORDS[provider][kind](kind === 'too_large' ? tooLarge(provider) : facts(provider))
    const found = classify(seen(words.status, words.body, words.headers), NOW)
    expect([provider, kind, found?.fault]).toEqual([provider, kind, OWN[provider]?.[kind] ?? MOST[kind]])
    expect(found!.words).not.toMatch(/[\n\r<]/)
    expect(found!.words.length).toBeLessThanOrEqual(300)
  })

  it('names the moment of a rate wherever the provider’s body has it', () => {
    for (const provider of PROVIDERS.filter(one => WAYS[one].includes('body'))) {
      const words = WORDS[provider].rate(facts(provider))
      expect([provider, classify(seen(words.status, words.body), NOW)?.retry_after_ms]).toEqual([
        provider,
        6000,
      ])
    }
  })

  it('is found as an event inside a stream, by the words that it has in a whole answer', () => {
    for (const [name, provider] of [
      ['chat', 'openrouter'],
      ['messages', 'anthropic'],
      ['generate', 'gemini'],
    ] as [Interface, Provider][]) {
      const { body } = WORDS[provider].error_in_200(facts(provider))
      const text =
        goodEvents(call(name), 'half of an answer').slice(0, 2).join('') + errorEvent(call(name), body)
      expect([provider, faultOf(seen(200, text))]).toEqual([provider, OWN[provider]!.error_in_200])
    }
  })
})

const call = (name: Interface): Call => ({
  item: '1',
  interface: name,
  model: 'model-1',
  isStream: true,
  use: () => ({ requests: 1, tokens: 100, input_tokens: 90, output_tokens: 10 }),
})

describe('a model call’s answer', () => {
  it('is a cut if a gateway gave up on what may have been worked on, and none if it never reached the host', () => {
    const late = (status: number) => faultOf(seen(status, '', {}, { took_ms: 1500 }))
    expect([502, 520, 522, 524].map(late)).toEqual(['cut', 'cut', 'cut', 'cut'])
    expect([521, 523, 525, 526, 530, 503].map(late)).toEqual(Array(6).fill('overloaded'))
    expect(faultOf(seen(200, error('Provider returned error', 502), {}, { took_ms: 1500 }))).toBe('cut')
  })

  it('is away if nothing was sent, and a cut if no answer came to what was', () => {
    expect(classify(seen(null, '', {}, { sent: false }), NOW)).toEqual({
      fault: 'away',
      words: 'no connection',
      retry_after_ms: null,
    })
    expect(classify(seen(null), NOW)).toEqual({ fault: 'cut', words: 'no answer', retry_after_ms: null })
  })

  it('is found by the frames of Bedrock’s streams', () => {
    const frame =
      '\x00\x00\x00\xb1\x0f:exception-type\x07\x00\x13throttlingException\r:content-type\x07\x00\x10application/json{"message":"Too many tokens"}'
    const headers = { 'content-type': 'application/vnd.amazon.eventstream' }
    expect(classify(seen(200, frame, headers), NOW)).toMatchObject({
      fault: 'rate',
      words: 'Too many tokens (throttlingexception)',
    })
    expect(
      faultOf(seen(200, '{"delta":{"text":":exception-type throttlingException"}}', headers)),
    ).toBeUndefined()
  })

  it('has no moment where waiting does not help', () => {
    const limit0 =
      'Quota exceeded for metric: generate_content_free_tier_requests, limit: 0, model: gemini\nPlease retry in 34.07s.'
    const body = {
      error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: limit0, details: [{ retryDelay: '34s' }] },
    }
    expect(classify(seen(429, body), NOW)).toMatchObject({ fault: 'rate', retry_after_ms: null })
    expect(
      classify(
        seen(429, { error: { ...body.error, message: limit0.replace('limit: 0', 'limit: 20') } }),
        NOW,
      ),
    ).toMatchObject({ fault: 'rate', retry_after_ms: 34_000 })
    expect(classify(seen(400, '', { 'retry-after': '5' }), NOW)).toMatchObject({
      fault: 'rejected',
      retry_after_ms: null,
    })
  })
})

describe('a good answer', () => {
  const said =
    'event: error\ndata: {"error":{"code":429,"message":"insufficient_quota"}}\n\n<html>Your credit balance is too low'
  const interfaces: Interface[] = ['chat', 'messages', 'generate', 'converse', 'invoke']

  it.each(interfaces)('has no fault, whatever its model says (%s)', name => {
    for (const content of [said, '{"error":{"code":402,"message":"Insufficient Balance"}}', '"error": "x"']) {
      expect(faultOf(seen(200, goodAnswer(call(name), content as string)))).toBeUndefined()
      expect(faultOf(seen(200, goodEvents(call(name), content as string).join('')))).toBeUndefined()
    }
  })

  it('has no fault with an empty error beside it, or with one that its answer outlived', () => {
    const choices = [{ index: 0, finish_reason: 'stop', message: { content: 'yes' } }]
    for (const beside of [null, '', {}, false, { message: 'one provider was tried before' }])
      expect(faultOf(seen(200, { choices, error: beside }))).toBeUndefined()
    expect(
      faultOf(seen(200, { object: 'response', status: 'completed', error: null, output: [{}] })),
    ).toBeUndefined()
    expect(faultOf(seen(200, { base_resp: { status_code: 0 }, reply: 'yes' }))).toBeUndefined()
  })

  it('has no fault if it is cut, empty, no JSON, or what a tool or an agent says', () => {
    const long = JSON.stringify(goodAnswer(call('chat'), said.repeat(400)))
    for (const body of [long, '', 'RIFF\x00\x00WAVE', '[]', 'null', '{"choices":[{"message":{"content":"'])
      expect(faultOf(seen(200, body))).toBeUndefined()
    expect(faultOf(seen(200, said, { 'content-type': 'text/plain' }))).toBeUndefined()
    for (const body of [page('Home', 'a site'), error('no', 429)])
      expect(faultOf(seen(200, body, {}, { is_model_call: false }))).toBeUndefined()
    expect(faultOf(seen(302))).toBeUndefined()
  })
})

describe('an answer outside model calls', () => {
  it('is an upstream’s fault only if a gateway says so at once, or if it is a limit', () => {
    const fault = (status: number, took_ms = 100, headers = {}) =>
      faultOf(
        seen(status, error('insufficient_quota', 'insufficient_quota'), headers, {
          is_model_call: false,
          took_ms,
        }),
      )
    expect([429, 425, 529].map(one => fault(one))).toEqual(['rate', 'rate', 'rate'])
    expect([502, 503, 520, 530].map(one => fault(one))).toEqual(Array(4).fill('away'))
    expect([502, 504, 524].map(one => fault(one, 5000))).toEqual(Array(3).fill('cut'))
    expect([400, 401, 402, 403, 404, 409, 413].map(one => fault(one))).toEqual(Array(7).fill('rejected'))
    expect([500, 501, 408].map(one => fault(one))).toEqual(Array(3).fill('provider_error'))
    expect(fault(503, 5000)).toBe('provider_error')
    expect(fault(503, 5000, { 'retry-after': '20' })).toBe('overloaded')
  })
})

describe('the words', () => {
  const wordsOf = (status: number, body: unknown) => classify(seen(status, body), NOW)?.words

  it('are the message and the code, else the status', () => {
    expect(wordsOf(429, error('You exceeded\nyour  quota', 'insufficient_quota'))).toBe(
      'You exceeded your quota (insufficient_quota)',
    )
    expect(wordsOf(503, page('503', 'nginx'))).toBe('answered 503')
    expect(wordsOf(503, '')).toBe('answered 503')
    expect(wordsOf(401, { error: 'Unauthorized' })).toBe('Unauthorized')
  })

  it('have 300 characters at most, and no key', () => {
    expect(wordsOf(400, error('x'.repeat(5000), 'y'.repeat(5000)))!.length).toBe(300)
    for (const key of [
      'sk-proj-abcdefghijklmnop1234',
      'AIzaSyA1234567890abcdef',
      'Bearer abc.def',
      'gsk_abcdefghijkl1234',
    ])
      expect(wordsOf(401, error(`Wrong key ${key} given`))).toBe('Wrong key [key] given')
  })

  it('of a router are those of the provider behind it as well', () => {
    const body = {
      error: {
        code: 429,
        message: 'Provider returned error',
        metadata: { raw: 'model is temporarily rate-limited upstream' },
      },
    }
    expect(wordsOf(429, body)).toContain('Provider returned error: model is temporarily rate-limited')
  })
})

describe('a hostile body', () => {
  const SIZE = 16 * 1024
  const bodies: Record<string, string> = {
    page: `<html>${'<div class="limit: requested: ">'.repeat(700)}`,
    nested: '['.repeat(SIZE),
    'nested objects': '{"error":'.repeat(SIZE / 9),
    'nested and whole': `${'{"error":'.repeat(1500)}1${'}'.repeat(1500)}`,
    spaces: ' '.repeat(SIZE),
    'lines of events': 'data: {"error":\n'.repeat(1000),
    'many figures': JSON.stringify(error(`limit ${'1'.repeat(8000)} requested ${','.repeat(8000)}`)),
    litellm: JSON.stringify(error(`litellm.${'litellm.'.repeat(2000)}`)),
    retries: 'try again in '.repeat(1200),
    digits: `"retryDelay": "${'9'.repeat(SIZE)}`,
    quotes: `{"message": "${'\\"'.repeat(8000)}`,
    prototype:
      '{"__proto__":{"error":{"code":"insufficient_quota"}},"constructor":1,"error":{"message":{},"code":[],"details":{}}}',
    'error names': JSON.stringify({
      error: { details: Array(4000).fill({}), errors: Array(4000).fill(null) },
    }),
  }

  it.each(Object.keys(bodies))('has a fault without much work: %s', name => {
    const body = bodies[name]!.slice(0, SIZE)
    const started = process.threadCpuUsage()
    for (const status of [200, 400, 403, 429, 503])
      for (const type of ['', 'application/vnd.amazon.eventstream'])
        classify(seen(status, body, type === '' ? {} : { 'content-type': type }), NOW)
    // Of this thread alone, so that a busy machine makes no difference; what backtracks takes minutes.
    const { user, system } = process.threadCpuUsage(started)
    expect((user + system) / 1000).toBeLessThan(1000)
    expect(faultOf(seen(429, body))).toBe('rate')
  })
})
