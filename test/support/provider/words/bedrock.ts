// Bedrock: the name of the error is in a header alone, the body has only a message.

import { type Facts, isDaily, isRequests, type Row, type Words } from './row.ts'

const bedrockError = (status: number, name: string, message: string): Words => ({
  status,
  headers: { 'x-amzn-errortype': name, 'x-amzn-requestid': 'double' },
  body: { message },
})
const throttled = (facts: Facts) =>
  bedrockError(
    429,
    'ThrottlingException',
    isRequests(facts)
      ? 'Too many requests, please wait before trying again.'
      : `Too many tokens${isDaily(facts) ? ' per day' : ''}, please wait before trying again.`,
  )
const DENIED = 'You do not have access to the model with the specified model ID.'

export const bedrock: Row = {
  rate: throttled,
  too_large: throttled,
  overloaded: () =>
    bedrockError(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'),
  server_error: () =>
    bedrockError(
      500,
      'InternalServerException',
      'The system encountered an unexpected error during processing. Try your request again.',
    ),
  bad_gateway: () => bedrockError(502, 'BadGateway', 'Bad Gateway'),
  unavailable: () => bedrockError(503, 'ServiceUnavailableException', 'Service Unavailable'),
  gateway_timeout: () => bedrockError(504, 'GatewayTimeout', 'Gateway Timeout'),
  error_in_200: () => ({
    status: 200,
    body: { Output: { __type: 'com.amazon.coral.service#InternalFailure' }, Version: '1.0' },
  }),
  quota: () =>
    bedrockError(
      400,
      'ServiceQuotaExceededException',
      'Your request exceeds the service quota for your account.',
    ),
  credit: () =>
    bedrockError(
      403,
      'AccessDeniedException',
      'Your account has a payment issue: INVALID_PAYMENT_INSTRUMENT. A valid payment instrument must be provided.',
    ),
  spend_limit: () =>
    bedrockError(403, 'AccessDeniedException', 'Access was denied by a budget action of your account.'),
  unauthorized: () =>
    bedrockError(
      403,
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    ),
  forbidden: () => bedrockError(403, 'AccessDeniedException', DENIED),
  forbidden_input: () =>
    bedrockError(
      403,
      'AccessDeniedException',
      'The input of this request is not authorized by the guardrail of your account.',
    ),
  forbidden_bare: () => ({ status: 403, body: '<html><body>Forbidden</body></html>', isPage: true }),
}
