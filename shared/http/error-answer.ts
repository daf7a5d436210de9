// The shape of every error answer, whether an endpoint, the app around it or the router sends it.

import { ApiError } from '../kernel/errors.ts'
import { VERSION } from '../kernel/version.ts'
import { textAnswer } from './compression.ts'

/**
 * On every answer: shows clients that no proxy wrote it, and which version they talk to; no cache keeps what a caller's
 * key opened, and no browser takes an output of an agent for a page.
 */
export const OWN_HEADERS = {
  'assay-version': VERSION,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

export function errorAnswer(error: ApiError, request_id: string): Response {
  const { code, message, hint, status, retry_after_s } = error
  const headers: Record<string, string> = {
    ...OWN_HEADERS,
    'content-type': 'application/json',
    'x-request-id': request_id,
  }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  if (retry_after_s !== undefined) headers['retry-after'] = String(retry_after_s)
  return textAnswer(JSON.stringify({ error: { code, message, hint } }), { status, headers })
}

/** Refuses a URL whose percent-encoding does not decode to UTF-8. */
export function checkEncoding(url: string): void {
  try {
    decodeURIComponent(url)
  } catch {
    throw new ApiError('invalid_request', 'The URL holds a malformed percent-encoding.')
  }
}
