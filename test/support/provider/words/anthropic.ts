// Anthropic: {type: 'error', error: {type, message, details?}, request_id}; 529 is for everybody.

import { cloudflarePage, type Facts, type Row, type Words } from './row.ts'

const anthropicError = (status: number, type: string, message: string, error_code?: string): Words => ({
  status,
  headers: { 'request-id': 'req_double' },
  body: {
    type: 'error',
    error: { type, message, ...(error_code === undefined ? null : { details: { error_code } }) },
    request_id: 'req_double',
  },
})
const anthropicRate = ({ limit, model }: Facts) => {
  const unit = limit.of.replace('_', ' ')
  return anthropicError(
    429,
    'rate_limit_error',
    `This request would exceed your organization's rate limit of ${Math.round(limit.amount)} ${unit} per minute (org: double, model: ${model}). For details, refer to: https://docs.claude.com/en/api/rate-limits.`,
  )
}
export const anthropic: Row = {
  rate: anthropicRate,
  too_large: anthropicRate,
  overloaded: () => anthropicError(529, 'overloaded_error', 'Overloaded'),
  server_error: () => anthropicError(500, 'api_error', 'Internal server error'),
  bad_gateway: () => cloudflarePage(502, 'Bad gateway'),
  unavailable: () => cloudflarePage(503, 'Service Temporarily Unavailable'),
  gateway_timeout: () => anthropicError(504, 'timeout_error', 'Request timed out'),
  error_in_200: () => anthropicError(200, 'overloaded_error', 'Overloaded'),
  // The monthly threshold of the tier: a 429 without retry-after.
  quota: () =>
    anthropicError(
      429,
      'rate_limit_error',
      'Your organization has reached the monthly usage threshold of its tier.',
      'enforced_spend_limit_reached',
    ),
  credit: () =>
    anthropicError(
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    ),
  spend_limit: () =>
    anthropicError(
      400,
      'invalid_request_error',
      'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
    ),
  unauthorized: () => anthropicError(401, 'authentication_error', 'invalid x-api-key'),
  forbidden: () =>
    anthropicError(
      403,
      'permission_error',
      'Your API key does not have permission to use the specified resource.',
    ),
  forbidden_input: () =>
    anthropicError(
      403,
      'permission_error',
      'This request was blocked because of the content of its messages.',
    ),
  forbidden_bare: () => cloudflarePage(403, 'Forbidden'),
}
