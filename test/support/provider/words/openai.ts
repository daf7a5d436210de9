// OpenAI: {error: {message, type, param, code}}. Billing has one type and a code of its own for each cause.

import { duration } from '../moments.ts'
import { cloudflarePage, type Facts, isDaily, isRequests, type Row } from './row.ts'

const openaiError = (status: number, message: string, type: string, code: string | null = null) => ({
  status,
  body: { error: { message, type, param: null, code } },
})
const QUOTA =
  'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.'

const unitOf = (facts: Facts) => (isRequests(facts) ? 'requests' : 'tokens')

function openaiLimit(facts: Facts): string {
  const letters = `${isRequests(facts) ? 'R' : 'T'}P${isDaily(facts) ? 'D' : 'M'}`
  const named = `${unitOf(facts)} per ${isDaily(facts) ? 'day' : 'min'} (${letters})`
  return `in organization org-double on ${named}: Limit ${Math.round(facts.limit.amount)}`
}

export const openai: Row = {
  rate: facts => {
    const { amount, left, requested } = facts.limit
    const figures = `Used ${Math.round(amount - left)}, Requested ${requested}`
    const until = facts.ways.includes('body') ? ` Please try again in ${duration(facts.wait_ms)}.` : ''
    const text = `Rate limit reached for ${facts.model} ${openaiLimit(facts)}, ${figures}.${until} Visit https://platform.openai.com/account/rate-limits to learn more.`
    return openaiError(429, text, unitOf(facts), 'rate_limit_exceeded')
  },
  too_large: facts => {
    const text = `Request too large for ${facts.model} ${openaiLimit(facts)}, Requested ${facts.limit.requested}. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.`
    return openaiError(429, text, unitOf(facts), 'rate_limit_exceeded')
  },
  overloaded: () =>
    openaiError(
      503,
      'The server is currently overloaded with other requests. Sorry about that! You can retry your request, or contact us through our help center if the error persists.',
      'service_unavailable_error',
      'server_is_overloaded',
    ),
  server_error: () =>
    openaiError(
      500,
      'The server had an error while processing your request. Sorry about that!',
      'server_error',
    ),
  bad_gateway: () => cloudflarePage(502, 'Bad gateway'),
  unavailable: () =>
    openaiError(503, 'The engine is currently overloaded, please try again later', 'server_error'),
  gateway_timeout: () => cloudflarePage(504, 'Gateway time-out'),
  error_in_200: () =>
    openaiError(
      200,
      'The server had an error while processing your request. Sorry about that!',
      'server_error',
    ),
  quota: () => openaiError(429, QUOTA, 'insufficient_quota', 'insufficient_quota'),
  credit: () => openaiError(429, QUOTA, 'insufficient_quota', 'credit_balance_exhausted'),
  spend_limit: () => openaiError(429, QUOTA, 'insufficient_quota', 'project_spend_limit_exceeded'),
  unauthorized: () =>
    openaiError(
      401,
      'Incorrect API key provided: sk-dou**ble. You can find your API key at https://platform.openai.com/account/api-keys.',
      'invalid_request_error',
      'invalid_api_key',
    ),
  forbidden: () =>
    openaiError(
      403,
      'Country, region, or territory not supported',
      'request_forbidden',
      'unsupported_country_region_territory',
    ),
  forbidden_input: () =>
    openaiError(
      403,
      'This request was flagged as potentially violating our usage policy.',
      'invalid_request_error',
      'content_policy_violation',
    ),
  forbidden_bare: () => cloudflarePage(403, 'Forbidden'),
}
