// OpenRouter: {error: {code, message, metadata}}; 402 for credit, and many a 200 with an error in it.

import { cloudflarePage, type Facts, type Row, type Words } from './row.ts'

const openrouterError = (code: number, message: string, metadata?: object): Words => ({
  status: code,
  body: {
    error: { message, code, ...(metadata === undefined ? null : { metadata }) },
    user_id: 'user_double',
  },
})
const openrouterRate = ({ limit, now, wait_ms, ways }: Facts) => {
  const headers = {
    'X-RateLimit-Limit': String(Math.round(limit.amount)),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(Math.ceil(now + wait_ms)),
  }
  const text = `Rate limit exceeded: ${limit.per_s >= 86_400 ? 'free-models-per-day' : 'free-models-per-min'}.`
  return openrouterError(429, text, ways.includes('reset') ? { headers, provider_name: null } : undefined)
}
const fromProvider = (code: number, raw: string) =>
  openrouterError(code, 'Provider returned error', { raw, provider_name: 'Double' })

export const openrouter: Row = {
  rate: openrouterRate,
  too_large: openrouterRate,
  overloaded: () =>
    fromProvider(429, 'the model is temporarily rate-limited upstream. Please retry shortly.'),
  server_error: () => openrouterError(500, 'Internal Server Error'),
  bad_gateway: () => fromProvider(502, 'upstream connect error or disconnect/reset before headers'),
  unavailable: () => openrouterError(503, 'No instances available'),
  gateway_timeout: () => openrouterError(504, 'The operation was aborted'),
  error_in_200: () => ({ ...fromProvider(502, 'Internal error'), status: 200 }),
  quota: () =>
    openrouterError(
      403,
      'Key limit exceeded (monthly limit). Manage it using https://openrouter.ai/settings/keys',
    ),
  credit: () =>
    openrouterError(
      402,
      'This request requires more credits, or fewer max_tokens. You requested up to 4096 tokens, but can only afford 222. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account',
      { provider_name: null, limit_source: 'openrouter_credits' },
    ),
  spend_limit: () =>
    openrouterError(402, 'Insufficient credits. The limit of this key was reached.', {
      limit_source: 'openrouter_key_limit',
    }),
  unauthorized: () => openrouterError(401, 'No auth credentials found'),
  forbidden: () => openrouterError(403, 'Access denied by security policy.'),
  forbidden_input: ({ model }) =>
    openrouterError(403, 'Your chosen model requires moderation and your input was flagged', {
      reasons: ['violence'],
      flagged_input: 'the first words of it',
      provider_name: 'Double',
      model_slug: model,
    }),
  forbidden_bare: () => cloudflarePage(403, 'Forbidden'),
}
