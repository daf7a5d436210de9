import { describe, expect, it } from 'vitest'
import { errorEvent, goodAnswer, goodEvents } from '../../../test/support/provider/answers.ts'
import type { Call, Interface } from '../../../test/support/provider/calls.ts'
import { WAYS } from '../../../test/support/provider/moments.ts'
import { ANSWERED, type Answered, PROVIDERS, type Provider } from '../../../test/support/provider/settings.ts'
import type { Facts } from '../../../test/support/provider/words/row.ts'
import { WORDS } from '../../../test/support/provider/words.ts'
import type { Fault } from '../vocabulary.ts'
import { classify, type SeenAnswer } from './classify.ts'

const NOW = Date.UTC(2026, 10, 29)

/** An answer to a model call, at once, unless said otherwise. */
function seen(
  status: number | null,
  body: unknown = '',
  headers: Record<string, string> = {},
  more: Partial<SeenAnswer> = {},
): SeenAnswer {
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return {
    status,
    header: name => lower[name] ?? null,
    body: (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 16 * 1024),
    sent: true,
    took_ms: 100,
    is_model_call: true,
    ...more,
  }
}

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

/** OpenAI's envelope, which most have. */
const error = (message: string, code: string | number | null = null, type: string | null = null) => ({
  error: { message, type, param: null, code },
})
const page = (title: string, by: string) =>
  `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n<hr><center>${by}</center>\n</body>\n</html>`
const litellm = (status: number, message: string, type: string | null = null) =>
  error(message, String(status), type)
const LONG = 'Rate limit reached for model in organization org-1 on tokens per min (TPM): '
const IN_200: [Fault, string, unknown][] = [
  ['rate', 'OpenRouter 429', error('Rate limit exceeded', 429)],
  ['away', 'OpenRouter 502', error('Provider returned error', 502)],
  ['quota', 'OpenRouter 402', error('Insufficient credits', 402)],
  ['refused', 'OpenRouter 401', error('User not found.', 401)],
  ['rejected', 'OpenRouter 403 of moderation', error('Input was flagged', 403)],
  ['rejected', 'OpenRouter 400', error('Provider returned error', 400)],
  ['provider_error', 'OpenRouter 500', error('Internal Server Error', 500)],
  ['cut', 'OpenRouter 504', error('Timed out', 504)],
  [
    'rate',
    'a choice’s own error',
    { choices: [{ finish_reason: 'error', error: { code: 429, message: 'busy' } }] },
  ],
  [
    'overloaded',
    'OpenAI’s failed response',
    {
      object: 'response',
      status: 'failed',
      output: [],
      error: { code: 'server_is_overloaded', message: 'Overloaded' },
    },
  ],
  ['provider_error', 'words of nobody', { error: 'something went wrong' }],
  [
    'rate',
    'DashScope',
    { code: 'Throttling.RateQuota', message: 'Requests rate limit exceeded', request_id: '1' },
  ],
  [
    'quota',
    'DashScope, an account without money',
    { code: 'Arrearage', message: 'Access denied, please make sure your account is in good standing.' },
  ],
  ['rate', 'MiniMax', { base_resp: { status_code: 1002, status_msg: 'rate limit' } }],
  ['quota', 'MiniMax', { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }],
  [
    'rate',
    'Bedrock’s old shape',
    { Output: { __type: 'com.amazon.coral.availability#ThrottlingException' } },
  ],
  [
    'rate',
    'a list that Gemini streams',
    [{ candidates: [{}] }, { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota' } }],
  ],
  ['overloaded', 'Hugging Face', { error: 'Model org/name is currently loading', estimated_time: 20 }],
  [
    'provider_error',
    'Cloudflare Workers AI',
    { success: false, errors: [{ code: 3040, message: 'No more data centers' }] },
  ],
  ['provider_error', 'a page', page('Sign in', 'a proxy')],
  [
    'rate',
    'Anthropic’s event',
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  ],
  [
    'refused',
    'an event of a wrong key',
    'event: error\ndata: {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}\n\n',
  ],
  [
    'rate',
    'OpenAI’s event',
    'event: error\ndata: {"type":"error","code":"rate_limit_exceeded","message":"Rate limit reached"}\n\n',
  ],
  [
    'provider_error',
    'OpenAI’s failed stream',
    'data: {"type":"response.failed","response":{"error":{"code":"server_error","message":"Sorry"}}}\n\n',
  ],
  ['provider_error', 'an event that says nothing', ': OPENROUTER PROCESSING\n\nevent: error\ndata: oops\n\n'],
]

const BY_STATUS: [Fault, number, string, unknown, Record<string, string>?][] = [
  // rate
  ['rate', 429, 'nginx', page('429 Too Many Requests', 'nginx')],
  ['rate', 429, 'Cloudflare 1015', 'error code: 1015'],
  ['rate', 429, 'Mistral', { message: 'Requests rate limit exceeded' }],
  [
    'rate',
    429,
    'Mistral’s capacity',
    {
      object: 'error',
      message: 'Service tier capacity exceeded for this model.',
      type: 'service_tier_capacity_exceeded',
      code: '3505',
    },
  ],
  [
    'rate',
    429,
    'Cohere',
    { message: 'You are using a Trial key, which is limited to 40 API calls / minute.' },
  ],
  [
    'rate',
    429,
    'Together',
    error('You have reached the rate limit specific to this model', null, 'model_rate_limit'),
  ],
  [
    'rate',
    429,
    'Fireworks behind Apigee',
    {
      fault: {
        faultstring: 'Rate limit quota violation. Quota limit exceeded.',
        detail: { errorcode: 'policies.ratelimit.QuotaViolation' },
      },
    },
  ],
  [
    'rate',
    429,
    'Perplexity',
    error('Request rate limit exceeded, please try again later.', 429, 'request_rate_limit_exceeded'),
  ],
  [
    'rate',
    429,
    'Vertex AI',
    {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'Resource exhausted. Please try again later.',
      },
    },
  ],
  [
    'rate',
    429,
    'Vertex AI’s quota',
    {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message:
          'Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model with base model: gemini.',
      },
    },
  ],
  [
    'rate',
    429,
    'LiteLLM',
    litellm(
      429,
      'litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached',
      'throttling_error',
    ),
  ],
  ['rate', 429, 'DeepSeek', error('Rate Limit Reached')],
  ['rate', 429, 'Kong', { message: 'API rate limit exceeded' }],
  [
    'rate',
    429,
    'figures within the limit',
    error(
      `${LONG}Limit 30000, Used 29000, Requested 2000. Please try again in 2s.`,
      'rate_limit_exceeded',
      'tokens',
    ),
  ],
  [
    'rate',
    429,
    'Azure API Management',
    { statusCode: 429, message: 'Rate limit is exceeded. Try again in 12 seconds.' },
  ],
  [
    'rate',
    403,
    'Google’s old status',
    { error: { code: 403, message: 'Rate Limit Exceeded', errors: [{ reason: 'userRateLimitExceeded' }] } },
  ],
  ['rate', 400, 'AWS', { __type: 'ThrottlingException', message: 'Rate exceeded' }],
  [
    'rate',
    503,
    'OpenAI’s Slow Down',
    error('Slow down. Please reduce your request rate to its original level.'),
  ],
  ['rate', 425, 'too early', ''],
  ['rate', 529, 'a page of Anthropic’s', page('529', 'cloudflare')],
  // overloaded
  [
    'overloaded',
    429,
    'Bedrock’s ModelNotReadyException',
    { message: 'Model is not ready' },
    { 'x-amzn-errortype': 'ModelNotReadyException:http://internal' },
  ],
  ['overloaded', 500, 'anything', 'Internal Server Error'],
  ['overloaded', 503, 'Hugging Face', { error: 'Model is currently loading', estimated_time: 20 }],
  ['overloaded', 408, 'a request that came too slowly', page('408 Request Time-out', 'a balancer')],
  // quota
  [
    'quota',
    429,
    'OpenAI’s hard limit',
    error('Billing hard limit has been reached', 'billing_hard_limit_reached', 'invalid_request_error'),
  ],
  [
    'quota',
    400,
    'the same at 400',
    error('Billing hard limit has been reached', 'billing_hard_limit_reached', 'invalid_request_error'),
  ],
  [
    'quota',
    429,
    'OpenAI through LiteLLM',
    litellm(
      429,
      'litellm.RateLimitError: RateLimitError: OpenAIException - You exceeded your current quota, please check your plan and billing details.',
    ),
  ],
  [
    'quota',
    400,
    'Anthropic through LiteLLM',
    litellm(
      400,
      'litellm.BadRequestError: AnthropicException - b\'{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}\'',
    ),
  ],
  [
    'quota',
    400,
    'LiteLLM’s own budget',
    error('Budget has been exceeded! Current cost: 10.2, Max budget: 10.0', '400', 'budget_exceeded'),
  ],
  ['quota', 402, 'DeepSeek', error('Insufficient Balance', 'invalid_request_error', 'unknown_error')],
  [
    'quota',
    402,
    'Anthropic',
    { type: 'error', error: { type: 'billing_error', message: 'There is an issue with your payment.' } },
  ],
  [
    'quota',
    402,
    'Hugging Face',
    { error: 'You have exceeded your monthly included credits for Inference Providers.' },
  ],
  [
    'quota',
    403,
    'xAI',
    {
      code: 'The caller does not have permission to execute the specified operation',
      error:
        "Your newly created team doesn't have any credits yet. You can purchase credits on https://console.x.ai",
    },
  ],
  [
    'quota',
    429,
    'xAI',
    {
      code: 'Some resource has been exhausted',
      error: 'Your team has either used all available credits or reached its monthly spending limit.',
    },
  ],
  [
    'quota',
    429,
    'Moonshot',
    error(
      'Your account is suspended, please check your plan and billing details',
      null,
      'exceeded_current_quota_error',
    ),
  ],
  [
    'quota',
    429,
    'Cohere’s trial key',
    { message: 'You are using a Trial key, which is limited to 1000 API calls / month.' },
  ],
  [
    'quota',
    403,
    'Google without billing',
    {
      error: {
        code: 403,
        status: 'PERMISSION_DENIED',
        message: 'This API method requires billing to be enabled.',
        details: [{ reason: 'BILLING_DISABLED' }],
      },
    },
  ],
  // refused
  [
    'refused',
    401,
    'OpenAI',
    error(
      'Incorrect API key provided: sk-proj-abcdefghijklmnop1234.',
      'invalid_api_key',
      'invalid_request_error',
    ),
  ],
  [
    'refused',
    403,
    'OpenAI’s country',
    error(
      'Country, region, or territory not supported',
      'unsupported_country_region_territory',
      'request_forbidden',
    ),
  ],
  [
    'refused',
    400,
    'Gemini',
    {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'API key not valid. Please pass a valid API key.',
        details: [{ reason: 'API_KEY_INVALID' }],
      },
    },
  ],
  [
    'refused',
    400,
    'Gemini’s country',
    {
      error: {
        code: 400,
        status: 'FAILED_PRECONDITION',
        message: 'User location is not supported for the API use.',
      },
    },
  ],
  [
    'refused',
    400,
    'xAI',
    { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***rt.' },
  ],
  ['refused', 401, 'Mistral', { message: 'Unauthorized', request_id: '1' }],
  ['refused', 401, 'Cohere', { message: 'invalid api token' }],
  [
    'refused',
    401,
    'LiteLLM',
    error('Authentication Error, Invalid proxy server token passed.', '401', 'auth_error'),
  ],
  ['refused', 401, 'nginx', page('401 Authorization Required', 'nginx')],
  ['refused', 403, 'an ALB', page('403 Forbidden', 'awselb/2.0')],
  [
    'refused',
    403,
    'Bedrock’s expired token',
    { message: 'The security token included in the request is expired' },
    { 'x-amzn-errortype': 'ExpiredTokenException' },
  ],
  [
    'refused',
    403,
    'Bedrock’s signature',
    { __type: 'InvalidSignatureException', message: 'Signature expired' },
  ],
  // rejected
  [
    'rejected',
    400,
    'OpenAI, too long',
    error(
      "This model's maximum context length is 8192 tokens.",
      'context_length_exceeded',
      'invalid_request_error',
    ),
  ],
  [
    'rejected',
    400,
    'Azure’s filter',
    {
      error: {
        code: 'content_filter',
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
  ],
  [
    'rejected',
    400,
    'an input that prints words of money',
    error(
      "Invalid value: 'Your credit balance is too low'. insufficient_quota",
      null,
      'invalid_request_error',
    ),
  ],
  [
    'rejected',
    400,
    'Bedrock',
    { message: 'Input is too long for requested model.' },
    { 'x-amzn-errortype': 'ValidationException' },
  ],
  [
    'rejected',
    404,
    'OpenAI',
    error(
      'The model `gpt-9` does not exist or you do not have access to it.',
      'model_not_found',
      'invalid_request_error',
    ),
  ],
  [
    'rejected',
    403,
    'OpenAI',
    error(
      'Project `proj_1` does not have access to model `gpt-9`',
      'model_not_found',
      'invalid_request_error',
    ),
  ],
  ['rejected', 404, 'Ollama', { error: "model 'llama9' not found" }],
  ['rejected', 409, 'anything', ''],
  ['rejected', 413, 'nginx', page('413 Request Entity Too Large', 'nginx')],
  [
    'rejected',
    413,
    'Anthropic',
    { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
  ],
  ['rejected', 422, 'FastAPI', { detail: [{ loc: ['body'], msg: 'field required', type: 'missing' }] }],
  [
    'rejected',
    429,
    'figures that exceed the limit',
    error(`${LONG}Limit 30,000, Requested 45,000.`, 'rate_limit_exceeded', 'tokens'),
  ],
  [
    'rejected',
    429,
    'Anthropic’s long prompts',
    {
      type: 'error',
      error: { type: 'rate_limit_error', message: 'Extra usage is required for long context requests.' },
    },
  ],
  [
    'rejected',
    400,
    'DashScope',
    error('Input data may contain inappropriate content.', 'data_inspection_failed'),
  ],
  ['rejected', 403, 'OpenRouter', error('Your input was flagged for violence', 403)],
  ['rejected', 451, 'the law', ''],
  // cut, away
  ['cut', 504, 'an ALB', page('504 Gateway Time-out', 'awselb/2.0')],
  [
    'cut',
    408,
    'Bedrock’s ModelTimeoutException',
    { message: 'Model has timed out' },
    { 'x-amzn-errortype': 'ModelTimeoutException' },
  ],
  [
    'cut',
    499,
    'Google',
    { error: { code: 499, status: 'CANCELLED', message: 'The operation was cancelled.' } },
  ],
  [
    'away',
    502,
    'Envoy',
    'upstream connect error or disconnect/reset before headers. reset reason: connection failure',
  ],
  ['away', 503, 'an ALB without a target', page('503 Service Temporarily Unavailable', 'awselb/2.0')],
  ['away', 521, 'Cloudflare', page('521: Web server is down', 'cloudflare')],
  [
    'provider_error',
    424,
    'Bedrock’s ModelErrorException',
    { message: 'The request failed' },
    { 'x-amzn-errortype': 'ModelErrorException' },
  ],
]

describe('a model call’s answer', () => {
  it.each(BY_STATUS)('is %s with %i of %s', (fault, status, _who, body, headers) => {
    expect(faultOf(seen(status, body, headers))).toBe(fault)
  })

  it.each(IN_200)('is %s if its 200 has an error: %s', (fault, _who, body) => {
    expect(faultOf(seen(200, body))).toBe(fault)
  })

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

  it.each(Object.keys(bodies))('has a fault in a few milliseconds: %s', name => {
    const body = bodies[name]!.slice(0, SIZE)
    const begun = performance.now()
    for (const status of [200, 400, 403, 429, 503])
      for (const type of ['', 'application/vnd.amazon.eventstream'])
        classify(seen(status, body, type === '' ? {} : { 'content-type': type }), NOW)
    expect(performance.now() - begun).toBeLessThan(250)
    expect(faultOf(seen(429, body))).toBe('rate')
  })
})
