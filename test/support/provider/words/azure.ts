// Azure: the same envelope, with codes that are numbers in text, and a wait of whole seconds in the message.

import { openai } from './openai.ts'
import { type Facts, isRequests, type Row, seconds } from './row.ts'

const azureError = (status: number, code: string, message: string) => ({
  status,
  body: { error: { code, message } },
})
const azureRate = (facts: Facts) => {
  const which = isRequests(facts) ? 'call rate limit' : 'token rate limit'
  const until = facts.ways.includes('body') ? ` Please retry after ${seconds(facts.wait_ms)} seconds.` : ''
  return azureError(
    429,
    '429',
    `Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded ${which} of your current OpenAI S0 pricing tier.${until} Please contact Azure support service if you would like to further increase the default rate limit.`,
  )
}
const AZURE_SUBSCRIPTION =
  'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.'

export const azure: Row = {
  ...openai,
  rate: azureRate,
  too_large: azureRate,
  overloaded: () =>
    azureError(
      429,
      'too_many_requests',
      'The system is currently experiencing high demand and cannot process your request. Your request exceeds the maximum usage size allowed during peak load.',
    ),
  server_error: () => azureError(500, 'InternalServerError', 'Internal server error'),
  bad_gateway: () => azureError(502, 'BadGateway', 'The gateway received an invalid response.'),
  unavailable: () =>
    azureError(
      503,
      'ServiceUnavailable',
      'The service is temporarily unable to process your request. Please try again later.',
    ),
  gateway_timeout: () => azureError(504, 'GatewayTimeout', 'The operation was timeout.'),
  error_in_200: () => azureError(200, 'InternalServerError', 'Internal server error'),
  quota: () =>
    azureError(403, 'QuotaExceeded', 'Out of call volume quota. Quota will be replenished in 12 days.'),
  credit: () =>
    azureError(403, 'SubscriptionDisabled', 'The subscription is disabled: its credit is used up.'),
  spend_limit: () =>
    azureError(403, 'SpendingLimitReached', 'The spending limit of the subscription was reached.'),
  unauthorized: () => azureError(401, '401', AZURE_SUBSCRIPTION),
  forbidden: () => azureError(403, '403', 'Access denied due to Virtual Network/Firewall rules.'),
  forbidden_input: () =>
    azureError(
      403,
      'content_filter',
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    ),
}
