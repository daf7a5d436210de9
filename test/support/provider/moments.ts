// How providers write times: the moment from which another call may pass, and the headers about their limits.

import type { Level } from './limits.ts'
import type { HeaderNames, Provider, Way } from './settings.ts'

export type Headers = Record<string, string>

/** From the providers' own pages about their limits; vLLM has none, and nginx names no moment by itself. */
export const WAYS: Record<Provider, Way[]> = {
  openai: ['retry_after_ms', 'retry_after_s', 'body', 'reset'],
  azure: ['retry_after_ms', 'retry_after_s', 'body', 'reset'],
  anthropic: ['retry_after_s', 'reset'],
  gemini: ['body'],
  bedrock: [],
  groq: ['retry_after_s', 'body', 'reset'],
  openrouter: ['retry_after_s', 'reset'],
  vllm: [],
}

export function momentHeaders(ways: readonly Way[], wait_ms: number, now: number): Headers {
  const seconds = Math.max(1, Math.ceil(wait_ms / 1000))
  const headers: Headers = {}
  if (ways.includes('retry_after_ms')) headers['retry-after-ms'] = String(Math.ceil(wait_ms))
  if (ways.includes('retry_after_s')) headers['retry-after'] = String(seconds)
  // A date has whole seconds: rounded up, since a call before the moment is refused.
  else if (ways.includes('retry_after_date'))
    headers['retry-after'] = new Date(Math.ceil((now + wait_ms) / 1000) * 1000).toUTCString()
  return headers
}

/** As Go writes durations, which OpenAI and Groq use: 12ms, 1.5s, 2m59.56s, 10h17m5s. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 10) / 100
  if (seconds < 60) return `${seconds}s`
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = `${minutes}m${Math.round((seconds % 60) * 100) / 100}s`
  return hours === 0 ? rest : `${hours}h${rest}`
}

/** The headers of one limit. */
type OfLimit = (level: Level, now: number) => Headers

/** The same three headers under OpenAI's names. */
const openai: OfLimit = ({ limit, amount, left, reset_ms }) => ({
  [`x-ratelimit-limit-${limit.of}`]: String(Math.round(amount)),
  [`x-ratelimit-remaining-${limit.of}`]: String(left),
  [`x-ratelimit-reset-${limit.of}`]: duration(reset_ms),
})

/** Resets are times; input and output tokens have headers of their own, with hyphens. */
const anthropic: OfLimit = ({ limit, amount, left, reset_ms }, now) => {
  const name = `anthropic-ratelimit-${limit.of.replace('_', '-')}`
  return {
    [`${name}-limit`]: String(Math.round(amount)),
    [`${name}-remaining`]: String(left),
    [`${name}-reset`]: new Date(now + reset_ms).toISOString().replace(/\.\d+/, ''),
  }
}

/** Whole seconds. */
const azure: OfLimit = level => ({
  ...openai(level, 0),
  [`x-ratelimit-reset-${level.limit.of}`]: String(Math.ceil(level.reset_ms / 1000)),
})

/** Only of requests, and the reset is in milliseconds since 1970. */
const openrouter: OfLimit = ({ limit, amount, left, reset_ms }, now) =>
  limit.of === 'requests'
    ? {
        'x-ratelimit-limit': String(Math.round(amount)),
        'x-ratelimit-remaining': String(left),
        'x-ratelimit-reset': String(Math.ceil(now + reset_ms)),
      }
    : {}

/** The window is in the name, and nothing says when it ends. */
const mistral: OfLimit = ({ limit, amount, left }) => {
  const window = limit.per_s < 86_400 ? 'minute' : 'month'
  const name = `${limit.of === 'requests' ? 'req' : 'tokens'}-${window}`
  return {
    [`x-ratelimit-limit-${name}`]: String(Math.round(amount)),
    [`x-ratelimit-remaining-${name}`]: String(left),
  }
}

/** The two fields of draft-ietf-httpapi-ratelimit-headers, which list all limits. */
function standard(levels: readonly Level[]): Headers {
  const list = (of: (level: Level) => string) =>
    levels.map(level => `"${level.limit.of}-${level.limit.per_s}s";${of(level)}`).join(', ')
  return {
    'ratelimit-policy': list(({ limit, amount }) => `q=${Math.round(amount)};w=${limit.per_s}`),
    ratelimit: list(({ left, reset_ms }) => `r=${left};t=${Math.ceil(reset_ms / 1000)}`),
  }
}

const OF_LIMIT: Record<Exclude<HeaderNames, 'standard'>, OfLimit | null> = {
  openai,
  azure,
  anthropic,
  groq: openai,
  openrouter,
  mistral,
  gemini: null,
  bedrock: null,
  vllm: null,
  none: null,
}

/** What Azure sends for a limit that a deployment does not have: numbers that mean nothing. */
const AZURE_NOTHING: Headers = {
  'x-ratelimit-limit-requests': '0',
  'x-ratelimit-remaining-requests': '-1',
  'x-ratelimit-limit-tokens': '0',
  'x-ratelimit-remaining-tokens': '-1',
}

/** OpenRouter shows its limit in refusals alone. */
export function limitHeaders(
  names: HeaderNames,
  levels: readonly Level[],
  at: { now: number; isRefusal: boolean },
): Headers {
  if (levels.length === 0) return {}
  if (names === 'openrouter' && !at.isRefusal) return {}
  if (names === 'standard') return standard(levels)
  const ofLimit = OF_LIMIT[names]
  if (ofLimit === null) return {}
  const headers: Headers = names === 'azure' ? { ...AZURE_NOTHING } : {}
  return Object.assign(headers, ...levels.map(level => ofLimit(level, at.now)))
}

/** Without what names the moment from which another call may pass. */
export const withoutResets = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.includes('reset'))
      .map(([name, value]) => [name, name === 'ratelimit' ? value.replace(/;t=\d+/g, '') : value]),
  )
