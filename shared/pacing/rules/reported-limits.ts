// Reads what an answer's headers say about limits. Guarantee: never throws, at most eight limits, each with a finite
// `left` of at least 0, whatever the headers are; of a header 2,000 characters are read.

import type { ReportedLimit } from '../vocabulary.ts'
import { momentIn, numberIn } from './moment.ts'

type Of = ReportedLimit['of']
type Header = (name: string) => string | null

const RETURNED = 8
const LISTED = 20
const CHARACTERS = 2000
/** More than any provider lets pass: gateways write such numbers where there is no limit. */
const MOST = 1e15
const SECOND_MS = 1000
const LONGEST_WINDOW_MS = 366 * 24 * 3600 * SECOND_MS

/**
 * Names that tell no window, with a star for `limit`, `remaining` and `reset`. Those of OpenAI are used by many, with
 * other meanings: Groq's requests are a day's and its tokens a minute's, so a length is never concluded from a name here.
 */
const NAMES: [Of, string][] = [
  // OpenAI (platform.openai.com/docs/guides/rate-limits), Azure, Groq (console.groq.com/docs/rate-limits), xAI, Fireworks
  ['requests', 'x-ratelimit-*-requests'],
  ['tokens', 'x-ratelimit-*-tokens'],
  ['tokens', 'x-ratelimit-*-project-tokens'],
  // docs.anthropic.com/en/api/rate-limits. `tokens` is the most restrictive limit in effect. `anthropic-priority-*` is not
  // read: where that capacity ends, calls go on at the standard tier.
  ['requests', 'anthropic-ratelimit-requests-*'],
  ['input_tokens', 'anthropic-ratelimit-input-tokens-*'],
  ['output_tokens', 'anthropic-ratelimit-output-tokens-*'],
  ['tokens', 'anthropic-ratelimit-tokens-*'],
  // Fireworks (docs.fireworks.ai/serverless/rate-limits); of prompts it also limits what no cache had. Its amounts were
  // a minute's and became a second's under the same names.
  ['input_tokens', 'x-ratelimit-*-tokens-prompt'],
  ['input_tokens', 'x-ratelimit-*-tokens-cache-adjusted-prompt'],
  ['output_tokens', 'x-ratelimit-*-tokens-generated'],
  // Mistral until 2025, beside the same with the window in the name.
  ['tokens', 'ratelimitbysize-*'],
  // OpenRouter (openrouter.ai/docs/api-reference/limits), Together (docs.together.ai/docs/rate-limits), GitHub, Envoy,
  // Brave; then the fields that came before the standard one (draft-ietf-httpapi-ratelimit-headers-06).
  ['requests', 'x-ratelimit-*'],
  ['requests', 'ratelimit-*'],
  ['requests', 'x-ratelimit-*-dynamic'],
  ['tokens', 'x-tokenlimit-*'],
  ['tokens', 'x-tokenlimit-*-dynamic'],
  // Cohere's trial keys (github.com/elastic/elasticsearch, CohereResponseHandler).
  ['requests', 'x-trial-endpoint-call-*'],
]

/** Names that end with their window, one of those below. */
const WINDOWED_NAMES: [Of, string][] = [
  // Mistral (github.com/mistralai/client-ts/issues/169); it sends no resets.
  ['requests', 'x-ratelimit-*-req'],
  // Cerebras (inference-docs.cerebras.ai/support/rate-limits), SambaNova (docs.sambanova.ai/docs/en/models/rate-limits)
  ['requests', 'x-ratelimit-*-requests'],
  ['tokens', 'x-ratelimit-*-tokens'],
  ['tokens', 'x-ratelimitbysize-*'],
  // Kong (developer.konghq.com/plugins/rate-limiting)
  ['requests', 'x-ratelimit-*'],
]

const WINDOWS: [string, number][] = [
  ['second', 1],
  ['10-second', 10],
  ['minute', 60],
  ['5-minute', 300],
  ['hour', 3600],
  ['day', 24 * 3600],
  ['month', 30 * 24 * 3600],
]

interface Names {
  of: Of
  window_ms: number | null
  limit: string
  remaining: string
  reset: string
  /** Azure and GitHub Models: the window in seconds. */
  period: string
  /** Brave, and drafts of the standard. */
  policy: string
}

function namesOf(of: Of, star: string, window_ms: number | null): Names {
  const named = (part: string) => star.replace('*', part)
  return {
    of,
    window_ms,
    limit: named('limit'),
    remaining: named('remaining'),
    reset: named('reset'),
    period: named('renewalperiod'),
    policy: named('policy'),
  }
}

const ALL_NAMES: Names[] = [
  ...NAMES.map(([of, star]) => namesOf(of, star, null)),
  ...WINDOWED_NAMES.flatMap(([of, star]) =>
    WINDOWS.map(([window, seconds]) => namesOf(of, `${star}-${window}`, seconds * SECOND_MS)),
  ),
]

/** The same limit under two names is one; two windows of the same kind are two. */
export function reportedLimits(whole: Header, now_ms: number): ReportedLimit[] {
  const header: Header = name => whole(name)?.slice(0, CHARACTERS) ?? null
  const found: ReportedLimit[] = []
  for (const names of ALL_NAMES) {
    // One look where a provider does not use the name: nearly all of them.
    const remaining = header(names.remaining)
    if (remaining) addAll(found, namedLimits({ names, remaining, header, now_ms }))
  }
  addAll(found, standardLimits(header, now_ms))
  return found
}

function addAll(found: ReportedLimit[], limits: ReportedLimit[]): void {
  for (const limit of limits) {
    const same = found.find(one => isSame(one, limit))
    if (same !== undefined) {
      same.amount ??= limit.amount
      same.reset_ms ??= limit.reset_ms
      same.window_ms ??= limit.window_ms
    } else if (found.length < RETURNED) found.push(limit)
  }
}

function isSame(a: ReportedLimit, b: ReportedLimit): boolean {
  const agree = (x: number | null, y: number | null) => x === null || y === null || x === y
  return a.of === b.of && a.left === b.left && agree(a.amount, b.amount) && agree(a.window_ms, b.window_ms)
}

interface Found {
  names: Names
  remaining: string
  header: Header
  now_ms: number
}

/**
 * Mostly one limit. Brave and Envoy write lists, with one remaining for each limit or for the tightest alone; the windows
 * are those of the listed amounts: `10, 10;w=1, 600;w=60`.
 */
function namedLimits({ names, remaining, header, now_ms }: Found): ReportedLimit[] {
  const left = itemsOf(remaining).slice(0, RETURNED)
  const amounts = itemsOf(header(names.limit))
  const policies = [...amounts, ...itemsOf(header(names.policy))]
  const reset = header(names.reset)
  const resets = left.length === 1 ? [reset] : itemsOf(reset).map(item => item.names[0] ?? null)
  const window_ms = names.window_ms ?? windowOf(header(names.period))
  return left.flatMap((item, index) => {
    const amount = quotaOf(amounts[index])
    const count = quotaOf(item)
    // Azure, of a limit that a deployment does not have or a service that does not say: a 0 alone.
    if (amount === null && count === 0) return []
    return limitOf({
      of: names.of,
      amount,
      left: count,
      reset_ms: resetIn(resets[index], now_ms),
      window_ms: window_ms ?? windowOfAmount(policies, amount),
    })
  })
}

/** Nothing for what means nothing: Azure's 0 and -1, Brave's 0 for no limit, Mistral's 0 for a model that a plan lacks. */
function limitOf(read: Omit<ReportedLimit, 'left'> & { left: number | null }): ReportedLimit[] {
  const { amount, left } = read
  if (left === null || left < 0 || left > MOST) return []
  if (amount !== null && (amount <= 0 || amount > MOST)) return []
  // Fireworks lowers a limit at a refusal: what is left is never more than there can be.
  return [{ ...read, left: Math.min(left, amount ?? left) }]
}

/** Cerebras writes seconds with up to 15 digits behind the point. */
const resetIn = (text: string | null | undefined, now_ms: number): number | null =>
  momentIn(text?.replace(/(\.\d{9})\d+/, '$1') ?? null, now_ms)

function windowOf(seconds: string | null | undefined): number | null {
  const ms = (numberIn(seconds) ?? 0) * SECOND_MS
  return ms > 0 && ms <= LONGEST_WINDOW_MS ? ms : null
}

function windowOfAmount(policies: Item[], amount: number | null): number | null {
  const found = policies.find(item => item.parameters.has('w') && quotaOf(item) === amount)
  return windowOf(found?.parameters.get('w'))
}

/**
 * Units of the standard, and what gateways for models add. Others are left out: `content-bytes` is nothing that an item
 * asks for, `concurrent-requests` no pace.
 */
const UNITS = new Map<string, Of>([
  ['requests', 'requests'],
  ['tokens', 'tokens'],
  ['input-tokens', 'input_tokens'],
  ['output-tokens', 'output_tokens'],
])

/** Who limits tokens often gives the policy that name and no unit, though without one it would be requests. */
const unitIn = (name = ''): string =>
  /(?:(?:in|out)put[-_ ])?tokens/i.exec(name)?.[0].toLowerCase().replace(/[_ ]/, '-') ?? 'requests'

/** `RateLimit: "name";r=50;t=30` with `RateLimit-Policy: "name";q=100;w=60;qu="requests"` (the draft's number 10). */
function standardLimits(header: Header, now_ms: number): ReportedLimit[] {
  const items = itemsOf(header('ratelimit'))
  if (items.length === 0) return []
  const policies = itemsOf(header('ratelimit-policy'))
  const draft = new Map(items.flatMap(item => [...item.parameters]))
  if (draft.has('remaining')) return draftLimit(draft, policies, now_ms)
  return items.flatMap(item => {
    const [name] = item.names
    // Hugging Face writes `"fixed window";"api";q=500;w=300`, so any name of a policy is its name.
    const policy = policies.find(one => name !== undefined && one.names.includes(name))
    const read = new Map([...(policy?.parameters ?? []), ...item.parameters])
    const of = UNITS.get(read.get('qu') ?? unitIn(name))
    if (of === undefined) return []
    return limitOf({
      of,
      amount: numberIn(read.get('q')),
      left: numberIn(read.get('r')),
      reset_ms: resetIn(read.get('t'), now_ms),
      window_ms: windowOf(read.get('w')),
    })
  })
}

/** `limit=100, remaining=50, reset=5` with `100;w=60` (the draft's number 7). */
function draftLimit(draft: Map<string, string>, policies: Item[], now_ms: number): ReportedLimit[] {
  const amount = numberIn(draft.get('limit'))
  return limitOf({
    of: 'requests',
    amount,
    left: numberIn(draft.get('remaining')),
    reset_ms: resetIn(draft.get('reset'), now_ms),
    window_ms: windowOfAmount(policies, amount),
  })
}

/** An item of a list of structured fields (RFC 9651), read leniently: what is no parameter is a name. */
interface Item {
  names: string[]
  parameters: Map<string, string>
}

/** The quota of `"name";q=100`, or of `100;w=60`, whose name it is. */
const quotaOf = (item: Item | undefined): number | null =>
  numberIn(item?.parameters.get('q') ?? item?.names[0])

/** Neither a comma nor a semicolon in a quoted string parts anything. */
const BETWEEN_COMMAS = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g
const BETWEEN_SEMICOLONS = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g

function itemsOf(field: string | null): Item[] {
  const items = field?.match(BETWEEN_COMMAS) ?? []
  return items.slice(0, LISTED).map(text => {
    const item: Item = { names: [], parameters: new Map() }
    for (const part of text.match(BETWEEN_SEMICOLONS)?.slice(0, LISTED) ?? []) {
      const at = part.trimStart().startsWith('"') ? -1 : part.indexOf('=')
      if (at === -1) item.names.push(unquoted(part))
      else item.parameters.set(part.slice(0, at).trim().toLowerCase(), unquoted(part.slice(at + 1)))
    }
    return item
  })
}

const unquoted = (text: string): string => text.trim().replace(/^"|"$/g, '')
