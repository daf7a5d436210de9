// Gemini: one status for a minute, a day and "limit: 0"; the delay is in the details and in the message, in no header.

import { duration } from '../moments.ts'
import type { Facts, Row, Words } from './row.ts'

const google = (code: number, status: string, message: string, details?: unknown[]): Words => ({
  status: code,
  body: { error: { code, message, status, ...(details === undefined ? null : { details }) } },
})

function exhausted({ limit, model, wait_ms, ways }: Facts, amount = Math.round(limit.amount)): Words {
  const unit = limit.of === 'requests' ? 'requests' : 'input_token_count'
  const metric = `generativelanguage.googleapis.com/generate_content_${unit}`
  const period = limit.per_s >= 86_400 ? 'Day' : 'Minute'
  const named = `Generate${limit.of === 'requests' ? 'Requests' : 'ContentInputTokens'}Per${period}PerProjectPerModel`
  const failure = {
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [
      {
        quotaMetric: metric,
        quotaId: named,
        quotaDimensions: { location: 'global', model },
        quotaValue: String(amount),
      },
    ],
  }
  const delay = `${Math.ceil(wait_ms / 1000)}s`
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: delay }
  const isNamed = ways.includes('body')
  const until = isNamed ? `\nPlease retry in ${duration(wait_ms)}.` : ''
  const text = `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for metric: ${metric}, limit: ${amount}, model: ${model}${until}`
  return google(429, 'RESOURCE_EXHAUSTED', text, isNamed ? [failure, retry] : [failure])
}

export const gemini: Row = {
  rate: facts => exhausted(facts),
  too_large: facts => exhausted(facts),
  overloaded: () => google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
  server_error: () =>
    google(
      500,
      'INTERNAL',
      'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
    ),
  bad_gateway: () => googlePage(502),
  unavailable: () => google(503, 'UNAVAILABLE', 'The service is currently unavailable.'),
  gateway_timeout: () =>
    google(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'),
  error_in_200: () => ({
    ...google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    status: 200,
  }),
  // No quota for this model in this tier: the words of a limit, of which there is none.
  quota: facts => exhausted({ ...facts, wait_ms: 36_000_000 }, 0),
  credit: () =>
    google(
      429,
      'RESOURCE_EXHAUSTED',
      'Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.',
    ),
  spend_limit: () =>
    google(
      429,
      'RESOURCE_EXHAUSTED',
      'Your project has exceeded its monthly spending cap. Please go to AI Studio to manage your project spend cap.',
    ),
  unauthorized: () =>
    google(
      401,
      'UNAUTHENTICATED',
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    ),
  forbidden: () =>
    google(
      403,
      'PERMISSION_DENIED',
      'Generative Language API has not been used in project double before or it is disabled.',
    ),
  forbidden_input: () =>
    google(
      403,
      'PERMISSION_DENIED',
      'You do not have permission to access the file that the request names, or it may not exist.',
    ),
  forbidden_bare: () => googlePage(403),
}

function googlePage(status: number): Words {
  const body = `<!DOCTYPE html>\n<html lang=en>\n  <title>Error ${status}!!1</title>\n  <p><b>${status}.</b> <ins>That’s an error.</ins>\n`
  return { status, body, isPage: true }
}
