import { describe, expect, it } from 'vitest'
import { openaiError as error, pageOf as page, seen } from '../../../test/support/seen-answer.ts'
import type { Fault } from '../vocabulary.ts'
import { classify, type SeenAnswer } from './classify.ts'

const faultOf = (answer: SeenAnswer) => classify(answer, 0)?.fault

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
  [
    'rejected',
    413,
    'a rate that no waiting helps',
    error('Please reduce the length', 'rate_limit_exceeded', 'tokens'),
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

describe('an answer of a provider or gateway that the double does not have', () => {
  it.each(BY_STATUS)('is %s with %i of %s', (fault, status, _who, body, headers) => {
    expect(faultOf(seen(status, body, headers))).toBe(fault)
  })

  it.each(IN_200)('is %s if its 200 has an error: %s', (fault, _who, body) => {
    expect(faultOf(seen(200, body))).toBe(fault)
  })
})
