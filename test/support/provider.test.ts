// Checks the words of the double of a provider: they arrive as the right errors in the real clients where these are installed,
// else by status, header and body. What it does with connections, limits and counts is checked in provider/failures.test.ts.

import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { AzureOpenAI } from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANSWERED, type Answered, PROVIDERS, type Way } from './provider/settings.ts'
import { type Failure, type ModelProvider, type Provider, type Settings, startProvider } from './provider.ts'

let double: ModelProvider
let keys = 0
beforeAll(async () => {
  double = await startProvider()
})
afterAll(() => double.close())

function newKey(settings: Partial<Settings> = {}): string {
  const key = `key-${++keys}`
  double.set(key, settings)
  return key
}

const messages = [{ role: 'user' as const, content: 'Label: item-1 is late' }]
const openai = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${double.url}/v1`, maxRetries: 0 })
const chat = (client: OpenAI) => client.chat.completions.create({ model: 'gpt-5-mini', messages })
const claude = (apiKey: string) => new Anthropic({ apiKey, baseURL: double.url, maxRetries: 0 })
const REQUEST = { model: 'claude-x', max_tokens: 16, messages }

/** Paths and headers of the providers whose clients are not installed. */
const PLAIN: Partial<Record<Provider, (key: string) => [path: string, headers: Record<string, string>]>> = {
  gemini: key => ['/v1beta/models/gemini-x:generateContent', { 'x-goog-api-key': key }],
  bedrock: key => [
    '/model/anthropic.claude-x/converse',
    { authorization: `AWS4-HMAC-SHA256 Credential=${key}/20261129/eu-west-1/bedrock/aws4_request` },
  ],
}

function send(key: string): Promise<Response> {
  return fetch(`${double.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'gpt-5-mini', messages }),
  })
}

/** Calls as the provider's own client does; @returns the class and status of what arrives. */
async function arrives(provider: Provider, key: string): Promise<string> {
  const plain = PLAIN[provider]?.(key)
  if (plain !== undefined) {
    const [path, headers] = plain
    const response = await fetch(`${double.url}${path}`, { method: 'POST', headers, body: '{}' })
    const name = response.headers.get('x-amzn-errortype')
    const { error } = (await response.json().catch(() => ({}))) as { error?: { status: string } }
    return `${name ?? error?.status ?? ''} ${response.status}`.trim()
  }
  const azure = () =>
    new AzureOpenAI({ apiKey: key, endpoint: double.url, apiVersion: '2024-10-21', maxRetries: 0 })
  const call =
    provider === 'anthropic'
      ? claude(key).messages.create(REQUEST)
      : chat(provider === 'azure' ? azure() : openai(key))
  try {
    const answer = (await call) as { error?: unknown }
    return 'error' in answer ? 'error 200' : 'fine'
  } catch (error) {
    const failed = error as Error & { status: number }
    return `${failed.name === 'Error' ? failed.constructor.name : failed.name} ${failed.status}`
  }
}

const [R429, I500, I502, I503, I504] = [
  'RateLimitError 429',
  'InternalServerError 500',
  'InternalServerError 502',
  'InternalServerError 503',
  'InternalServerError 504',
]
const [U401, P403] = ['AuthenticationError 401', 'PermissionDeniedError 403']
const likeOpenai: Record<Answered, string> = {
  rate: R429,
  too_large: R429,
  overloaded: I503,
  server_error: I500,
  bad_gateway: I502,
  unavailable: I503,
  gateway_timeout: I504,
  error_in_200: 'error 200',
  quota: R429,
  credit: R429,
  spend_limit: R429,
  unauthorized: U401,
  forbidden: P403,
  forbidden_input: P403,
  forbidden_bare: P403,
}
const [BAD, PAID] = ['BadRequestError 400', 'APIError 402']

const ARRIVE: Record<Provider, Record<Answered, string>> = {
  openai: likeOpenai,
  azure: { ...likeOpenai, overloaded: R429, quota: P403, credit: P403, spend_limit: P403 },
  anthropic: {
    ...likeOpenai,
    overloaded: 'OverloadedError 529',
    unavailable: 'ServiceUnavailableError 503',
    gateway_timeout: 'GatewayTimeoutError 504',
    quota: 'EnforcedSpendLimitReachedError 429', // the client's own class for it
    credit: BAD,
    spend_limit: BAD,
  },
  gemini: {
    rate: 'RESOURCE_EXHAUSTED 429',
    too_large: 'RESOURCE_EXHAUSTED 429',
    overloaded: 'UNAVAILABLE 503',
    server_error: 'INTERNAL 500',
    bad_gateway: '502',
    unavailable: 'UNAVAILABLE 503',
    gateway_timeout: 'DEADLINE_EXCEEDED 504',
    error_in_200: 'UNAVAILABLE 200',
    quota: 'RESOURCE_EXHAUSTED 429',
    credit: 'RESOURCE_EXHAUSTED 429',
    spend_limit: 'RESOURCE_EXHAUSTED 429',
    unauthorized: 'UNAUTHENTICATED 401',
    forbidden: 'PERMISSION_DENIED 403',
    forbidden_input: 'PERMISSION_DENIED 403',
    forbidden_bare: '403',
  },
  bedrock: {
    rate: 'ThrottlingException 429',
    too_large: 'ThrottlingException 429',
    overloaded: 'ServiceUnavailableException 503',
    server_error: 'InternalServerException 500',
    bad_gateway: 'BadGateway 502',
    unavailable: 'ServiceUnavailableException 503',
    gateway_timeout: 'GatewayTimeout 504',
    error_in_200: '200',
    quota: 'ServiceQuotaExceededException 400',
    credit: 'AccessDeniedException 403',
    spend_limit: 'AccessDeniedException 403',
    unauthorized: 'UnrecognizedClientException 403',
    forbidden: 'AccessDeniedException 403',
    forbidden_input: 'AccessDeniedException 403',
    forbidden_bare: '403',
  },
  groq: {
    ...likeOpenai,
    too_large: 'APIError 413',
    overloaded: 'APIError 498',
    quota: BAD,
    credit: BAD,
    spend_limit: BAD,
  },
  openrouter: { ...likeOpenai, overloaded: R429, quota: P403, credit: PAID, spend_limit: PAID },
  vllm: { ...likeOpenai, quota: PAID, credit: PAID, spend_limit: PAID },
}

describe('words', () => {
  it.each(PROVIDERS)('of %s arrive as the errors of its client', async provider => {
    const found = await Promise.all(
      ANSWERED.map(async kind => [kind, await arrives(provider, newKey({ provider, failures: [{ kind }] }))]),
    )
    expect(Object.fromEntries(found)).toEqual(ARRIVE[provider])
    expect(await arrives(provider, newKey({ provider }))).toMatch(/^(fine|200)$/)
  })

  it.each([
    ['openai', 'quota', /"code":"insufficient_quota"/],
    ['openai', 'credit', /"type":"insufficient_quota".*"credit_balance_exhausted"/],
    ['openai', 'spend_limit', /project_spend_limit_exceeded/],
    ['anthropic', 'quota', /"details":{"error_code":"enforced_spend_limit_reached"}/],
    ['anthropic', 'credit', /Your credit balance is too low/],
    ['anthropic', 'spend_limit', /You have reached your specified API usage limits/],
    ['anthropic', 'overloaded', /^{"type":"error","error":{"type":"overloaded_error"/],
    ['gemini', 'quota', /limit: 0/],
    ['openrouter', 'credit', /requires more credits.*"code":402/],
    ['openrouter', 'error_in_200', /"Provider returned error","code":502/],
    ['vllm', 'bad_gateway', /<center>nginx<\/center>/],
  ] as const)('of %s for %s are the ones that programs look for', async (provider, kind, text) => {
    const response = await send(newKey({ provider, failures: [{ kind }] }))
    expect(await response.text()).toMatch(text)
  })
})

describe('the moment of a 429', () => {
  const wait_s = 7
  const refused = async (provider: Provider, ways?: Way[]) => {
    const response = await send(
      newKey({
        provider,
        ways: ways ?? null,
        limits: [{ of: 'requests', amount: 100, per_s: 60, kind: 'bucket' }],
        failures: [{ kind: 'rate', wait_s }],
      }),
    )
    return { headers: Object.fromEntries(response.headers), body: await response.text() }
  }

  it('is in whichever way is set, and in no other', async () => {
    const none = await refused('openai', [])
    expect(Object.keys(none.headers).filter(name => /retry|reset/.test(name))).toEqual([])
    expect(none.body).not.toMatch(/try again in/)
    expect((await refused('openai', ['retry_after_ms'])).headers).toMatchObject({ 'retry-after-ms': '7000' })
    expect((await refused('openai', ['retry_after_s'])).headers).toMatchObject({ 'retry-after': '7' })
    const { headers } = await refused('openai', ['retry_after_date'])
    const ms = Date.parse(headers['retry-after']!) - Date.now()
    expect(ms).toBeGreaterThan(6000)
    expect(ms).toBeLessThan(8001)
    expect((await refused('openai', ['body'])).body).toMatch(/Please try again in 7s\./)
  })

  it('is where each provider has it', async () => {
    expect((await refused('azure')).body).toMatch(/Please retry after 7 seconds/)
    expect((await refused('gemini')).body).toMatch(/Please retry in 7s.*"retryDelay":"7s"/)
    expect(Object.keys((await refused('bedrock')).headers).join()).not.toMatch(/retry/)
    expect((await refused('openrouter')).body).toMatch(/"X-RateLimit-Reset":"\d{13}"/)
  })

  it('is in other answers too if it is set', async () => {
    const unavailable = { kind: 'unavailable' as const }
    const of = async (failure: Failure) => (await send(newKey({ failures: [failure] }))).headers
    expect((await of({ ...unavailable, wait_s })).get('retry-after')).toBe('7')
    expect((await of(unavailable)).get('retry-after')).toBe(null)
  })

  it('is in the reset headers that each provider has', async () => {
    const limits: Settings['limits'] = [{ of: 'requests', amount: 100, per_s: 60, kind: 'bucket' }]
    const of = async (provider: Provider) => (await send(newKey({ provider, limits }))).headers
    expect((await of('openai')).get('x-ratelimit-reset-requests')).toMatch(/^\d+ms$/)
    expect((await of('openai')).get('x-ratelimit-remaining-requests')).toBe('99')
    expect((await of('anthropic')).get('anthropic-ratelimit-requests-reset')).toMatch(/T.*:\d\dZ$/)
    expect((await of('azure')).get('x-ratelimit-remaining-tokens')).toBe('-1')
    expect([...(await of('gemini')).keys()].join()).not.toMatch(/ratelimit/)
  })
})
