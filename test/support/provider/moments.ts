// How providers write times: the moment from which another call may pass, and the headers about their limits.

import type { Level } from './limits.ts'
import type { Provider, Way } from './settings.ts'

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

type Names = (level: Level, now: number) => Headers

/** The same three headers under OpenAI's names. */
const openaiNames: Names = ({ limit, amount, left, reset_ms }) => ({
  [`x-ratelimit-limit-${limit.of}`]: String(Math.round(amount)),
  [`x-ratelimit-remaining-${limit.of}`]: String(left),
  [`x-ratelimit-reset-${limit.of}`]: duration(reset_ms),
})

/** Resets are times; input and output tokens have headers of their own, with hyphens. */
const anthropicNames: Names = ({ limit, amount, left, reset_ms }, now) => {
  const name = `anthropic-ratelimit-${limit.of.replace('_', '-')}`
  return {
    [`${name}-limit`]: String(Math.round(amount)),
    [`${name}-remaining`]: String(left),
    [`${name}-reset`]: new Date(now + reset_ms).toISOString().replace(/\.\d+/, ''),
  }
}

/** Whole seconds. */
const azureNames: Names = level => ({
  ...openaiNames(level, 0),
  [`x-ratelimit-reset-${level.limit.of}`]: String(Math.ceil(level.reset_ms / 1000)),
})

/** Only of requests, and the reset is in milliseconds since 1970. */
const openrouterNames: Names = ({ limit, amount, left, reset_ms }, now) =>
  limit.of === 'requests'
    ? {
        'x-ratelimit-limit': String(Math.round(amount)),
        'x-ratelimit-remaining': String(left),
        'x-ratelimit-reset': String(Math.ceil(now + reset_ms)),
      }
    : {}

const NAMES: Record<Provider, Names | null> = {
  openai: openaiNames,
  azure: azureNames,
  anthropic: anthropicNames,
  groq: openaiNames,
  openrouter: openrouterNames,
  gemini: null,
  bedrock: null,
  vllm: null,
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
  provider: Provider,
  levels: readonly Level[],
  at: { now: number; isRefusal: boolean },
): Headers {
  const names = NAMES[provider]
  if (names === null || levels.length === 0) return {}
  if (provider === 'openrouter' && !at.isRefusal) return {}
  const headers: Headers = provider === 'azure' ? { ...AZURE_NOTHING } : {}
  return Object.assign(headers, ...levels.map(level => names(level, at.now)))
}
