// Reads the moment from which another call may pass. Guarantee: null unless the answer names one that is to come and within
// 30 days, so that no header, however wrong, stops anything for longer; of a body 16 KiB are read.

const SECOND_MS = 1000
const LONGEST_MS = 30 * 24 * 3600 * SECOND_MS
const BODY_CHARACTERS = 16 * 1024

/** What is read of an answer: `SeenAnswer` of classify.ts has it. */
interface Named {
  header(name: string): string | null
  body: string
}

/** `retry-after-ms`, else Retry-After, else the body's, else the reset of the limit of which nothing remains. */
export function retryAfterMs(answer: Named, now_ms: number): number | null {
  const { header } = answer
  return (
    bounded(numberIn(header('retry-after-ms'))) ??
    momentIn(header('retry-after'), now_ms) ??
    momentInBody(answer.body.slice(0, BODY_CHARACTERS), now_ms) ??
    resetOfEmpty(header, now_ms)
  )
}

/** Azure's 0 and -1 mean nothing, and neither does a moment that has passed. */
const bounded = (ms: number | null): number | null =>
  ms !== null && ms > 0 && ms <= LONGEST_MS ? Math.ceil(ms) : null

export function numberIn(text: string | null | undefined): number | null {
  return text != null && /^\s*-?\d{1,16}(?:\.\d{1,20})?\s*$/.test(text) ? Number(text) : null
}

/** Numbers from here on are times since 1970, in seconds or in milliseconds: as a wait they would be of 30 years or more. */
const EPOCH_S = 1e9
const EPOCH_MS = 1e12

/** Of a header: seconds, a duration such as 6m0s, a time since 1970, or a date of HTTP or of RFC 3339. */
export function momentIn(text: string | null, now_ms: number): number | null {
  if (text === null || text.length > 64) return null
  const number = numberIn(text)
  if (number !== null) {
    if (number >= EPOCH_MS) return bounded(number - now_ms)
    return bounded(number >= EPOCH_S ? number * SECOND_MS - now_ms : number * SECOND_MS)
  }
  const duration = durationAt(text.trim())
  if (duration !== null) return bounded(duration)
  const at = /\d{4}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : bounded(at - now_ms)
}

const UNITS: Record<string, number> = {
  ms: 1,
  millisecond: 1,
  s: SECOND_MS,
  sec: SECOND_MS,
  second: SECOND_MS,
  m: 60 * SECOND_MS,
  min: 60 * SECOND_MS,
  minute: 60 * SECOND_MS,
  h: 3600 * SECOND_MS,
  hr: 3600 * SECOND_MS,
  hour: 3600 * SECOND_MS,
  d: 24 * 3600 * SECOND_MS,
  day: 24 * 3600 * SECOND_MS,
}

/** The duration that a text begins with: 88ms, 1.2s, 2m59.56s, 10h17m5s, "20 seconds", "1 minute 5 seconds". */
function durationAt(text: string): number | null {
  const part = /\s?(\d{1,12}(?:\.\d{1,12})?) ?([a-z]{1,12})/iy
  let sum: number | null = null
  for (;;) {
    const [, amount, written] = part.exec(text) ?? []
    if (amount === undefined) return sum
    const word = written!.toLowerCase()
    const unit = UNITS[word] ?? UNITS[word.replace(/s$/, '')]
    if (unit === undefined) return sum
    sum = (sum ?? 0) + Number(amount) * unit
  }
}

/** What stands before a duration with a unit: Google's field; OpenAI, Groq, Gemini, Azure, Together, Cohere in words. */
const BEFORE_DURATION = [
  /"retryDelay"\s{0,8}:\s{0,8}"/,
  /\b(?:try again|retry|retry your request|wait|available again|reset|resets) (?:in|after|for)(?: about| approximately)? (?=\d)/i,
]
/** Seconds in a field: of gateways, of Discord's kind of limits, and of Hugging Face while it loads a model. */
const SECONDS_FIELD =
  /"(?:retry[_-]?after(?:[_-]?seconds)?|estimated_time)"\s{0,8}:\s{0,8}"?(\d{1,12}(?:\.\d{1,12})?)/i
/** OpenRouter repeats headers in its body, since a client may not show them. */
const RESET_FIELD = /"x-ratelimit-reset"\s{0,8}:\s{0,8}"?(\d{10,13})\b/i

function momentInBody(body: string, now_ms: number): number | null {
  for (const before of BEFORE_DURATION) {
    const found = before.exec(body)
    const from = found === null ? 0 : found.index + found[0].length
    const ms = found === null ? null : bounded(durationAt(body.slice(from, from + 64)))
    if (ms !== null) return ms
  }
  const seconds = numberIn(SECONDS_FIELD.exec(body)?.[1])
  if (seconds !== null) return bounded(seconds * SECOND_MS)
  return momentIn(RESET_FIELD.exec(body)?.[1] ?? null, now_ms)
}

/** Headers of a limit, by what is put in place of the star. */
const LIMITS = [
  'x-ratelimit-*-requests', // OpenAI, Azure, Groq and others
  'x-ratelimit-*-tokens',
  'x-ratelimit-*-requests-minute', // Cerebras
  'x-ratelimit-*-requests-day',
  'x-ratelimit-*-tokens-minute',
  'x-ratelimit-*-tokens-day',
  'anthropic-ratelimit-requests-*',
  'anthropic-ratelimit-tokens-*',
  'anthropic-ratelimit-input-tokens-*',
  'anthropic-ratelimit-output-tokens-*',
  'ratelimitbysize-*', // Mistral
  'x-ratelimit-*', // OpenRouter, Together, GitHub
  'ratelimit-*', // what came before the field RateLimit
]

/** If several are empty, the last reset: before that another call is refused again. */
function resetOfEmpty(header: Named['header'], now_ms: number): number | null {
  const found = LIMITS.flatMap(name => {
    const part = (which: string) => header(name.replace('*', which))
    if (numberIn(part('remaining')) !== 0) return []
    // Azure: a limit that a deployment does not have.
    const limit = numberIn(part('limit'))
    return limit !== null && limit <= 0 ? [] : [momentIn(part('reset'), now_ms)]
  })
  const moments = [...found, ...standardResets(header)].filter(ms => ms !== null)
  return moments.length === 0 ? null : Math.max(...moments)
}

const LISTED = 20

/** `RateLimit: "default";r=0;t=30`, or as drafts had it: `limit=100, remaining=0, reset=30`. */
function standardResets(header: Named['header']): (number | null)[] {
  const field = (header('ratelimit') ?? '').slice(0, 2000)
  const draft = /\breset=(\d{1,12})/.exec(field)?.[1]
  if (/\bremaining=0(?![\d.])/.test(field)) return [bounded(Number(draft) * SECOND_MS)]
  const policies = (header('ratelimit-policy') ?? '').slice(0, 2000).split(',', LISTED)
  return field.split(',', LISTED).flatMap(item => {
    if (!/; ?r=0(?![\d.])/.test(item)) return []
    const name = item.split(';', 1)[0]!.trim()
    const policy = policies.find(one => one.split(';', 1)[0]!.trim() === name)
    const seconds = /; ?t=(\d{1,12})/.exec(item)?.[1] ?? /; ?w=(\d{1,12})/.exec(policy ?? '')?.[1]
    return [bounded(Number(seconds) * SECOND_MS)]
  })
}
