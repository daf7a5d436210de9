// Groq: OpenAI's envelope without `param`; its limits are named by organization, tier and minute or day.

import { duration } from '../moments.ts'
import { openai } from './openai.ts'
import type { Facts, Row, Words } from './row.ts'

const groqError = (status: number, message: string, type: string, code?: string): Words => ({
  status,
  body: { error: { message, type, ...(code === undefined ? null : { code }) } },
})
function groqLimit({ limit, model }: Facts): string {
  const [unit, letter] = limit.of === 'requests' ? ['requests', 'R'] : ['tokens', 'T']
  const period = limit.per_s >= 86_400 ? ['day', 'D'] : ['minute', 'M']
  return `for model \`${model}\` in organization \`org_double\` service tier \`on_demand\` on ${unit} per ${period[0]} (${letter}P${period[1]}): Limit ${Math.round(limit.amount)}`
}
const groqBilling = (text: string) => groqError(400, text, 'invalid_request_error', 'blocked_api_access')

export const groq: Row = {
  ...openai,
  rate: facts => {
    const { limit, ways, wait_ms } = facts
    const until = ways.includes('body') ? ` Please try again in ${duration(wait_ms)}.` : ''
    const text = `Rate limit reached ${groqLimit(facts)}, Used ${Math.round(limit.amount - limit.left)}, Requested ${limit.requested}.${until} Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing`
    return groqError(429, text, limit.of === 'requests' ? 'requests' : 'tokens', 'rate_limit_exceeded')
  },
  too_large: facts =>
    groqError(
      413,
      `Request too large ${groqLimit(facts)}, Requested ${facts.limit.requested}, please reduce your message size and try again.`,
      'tokens',
      'rate_limit_exceeded',
    ),
  // A status of their own, for the flex tier.
  overloaded: () =>
    groqError(
      498,
      'Flex tier capacity exceeded. Please try again later.',
      'internal_server_error',
      'capacity_exceeded',
    ),
  server_error: () => groqError(500, 'Internal Server Error', 'internal_server_error'),
  bad_gateway: () => groqError(502, 'Bad Gateway', 'internal_server_error'),
  unavailable: () => groqError(503, 'Service Unavailable', 'internal_server_error'),
  gateway_timeout: () => groqError(504, 'Gateway Timeout', 'internal_server_error'),
  error_in_200: () => groqError(200, 'Internal Server Error', 'internal_server_error'),
  quota: () => groqBilling('Your organization is blocked: it has exceeded its quota.'),
  credit: () => groqBilling('Your organization is blocked: its last invoice was not paid.'),
  spend_limit: () =>
    groqBilling(
      'API access has been temporarily blocked because your organization has reached its configured spend alert threshold.',
    ),
  unauthorized: () => groqError(401, 'Invalid API Key', 'invalid_request_error', 'invalid_api_key'),
  forbidden: () => groqError(403, 'Access denied. Please check your network settings.', 'permissions_error'),
  forbidden_input: () =>
    groqError(403, 'This request was blocked because of its content.', 'permissions_error'),
}
