// What a key of the double does: its provider's words, its limits, how long answers take, and what fails when.
// A setting is data, so that another process can send it as JSON.

export const PROVIDERS = [
  'openai',
  'azure',
  'anthropic',
  'gemini',
  'bedrock',
  'groq',
  'openrouter',
  'vllm',
] as const
export type Provider = (typeof PROVIDERS)[number]

/** What is answered with a status and a body; words.ts has those of each provider. */
export const ANSWERED = [
  'rate', // 429 within a limit
  'too_large', // 429 whose own figures exceed the limit: waiting never makes it pass
  'overloaded', // for everybody: 529, or what the provider has instead
  'server_error', // 500
  'bad_gateway', // 502
  'unavailable', // 503
  'gateway_timeout', // 504
  'error_in_200', // a status that is fine around a body that is not; in a stream, an event
  'quota',
  'credit',
  'spend_limit',
  'unauthorized', // 401
  'forbidden', // 403 for every request of the key
  'forbidden_input', // 403 that speaks of this input alone
  'forbidden_bare', // 403 of a firewall, which speaks of nothing
] as const
export type Answered = (typeof ANSWERED)[number]

/** What ends without a whole answer. */
export const UNANSWERED = [
  'reset_before', // the connection is reset before the request was taken
  'reset_after', // taken, worked on and paid for; then the connection is reset
  'stuck', // taken, and never answered
  'stream_end', // half of the answer, then the connection ends
] as const
export type Unanswered = (typeof UNANSWERED)[number]

export type Kind = Answered | Unanswered

/** Something that fails. All conditions that are set must hold; without any, every call fails. */
export interface Failure {
  kind: Kind
  /** Seconds since the first call of the key. */
  from_s?: number
  to_s?: number
  /** Only after so many calls were answered well; a key without credit stays so until it is set again, or `to_s`. */
  after_ok?: number
  /** The share of calls, or of items, that meet it: an item that meets it once meets it always. */
  share?: number
  of?: 'calls' | 'items'
  /** The items that meet it, by name. */
  items?: string[]
  /** How long it takes until the answer; by default none. A gateway in front may take seconds. */
  after_ms?: number
  /** The time that the answer names; by default a 429 names the rest of the failure's window or one second, and others none. */
  wait_s?: number
}

export interface Limit {
  of: 'requests' | 'tokens' | 'input_tokens' | 'output_tokens'
  /** So much in so many seconds. */
  amount: number
  per_s: number
  /** A bucket refills all the time; a window starts anew, on the key's own clock. */
  kind: 'bucket' | 'window'
  /** What a full bucket holds; by default `amount`. */
  burst?: number
  /** Refused requests use it up too. */
  counts_refused?: boolean
  /** So much of the first window had passed at the first call of the key. */
  offset_s?: number
}

/** How a call's tokens are counted. */
export interface Cost {
  /** Before the answer: the larger of the input and the most tokens of an answer, both, or the input alone. */
  before: 'larger' | 'sum' | 'input'
  /** Once it is answered, what it used counts instead: the rest is given back, what is missing taken. */
  settles: boolean
}

/** By whose names limits are told; the standard ones are `RateLimit` and `RateLimit-Policy`. */
export type HeaderNames = Provider | 'mistral' | 'standard' | 'none'

/** The ways in which a 429 can name the moment from which another call may pass. */
export type Way = 'retry_after_ms' | 'retry_after_s' | 'retry_after_date' | 'body' | 'reset'

export interface Settings {
  provider: Provider
  /** Random numbers come from this, the item and the number of its call, so order and speed change nothing. */
  seed: number
  /** Lognormal: half of the answers take less than the median; sigma 0.99 puts the 99th percentile at ten times it. */
  latency: { median_ms: number; sigma: number }
  /** Where headers have one name for two of them, they tell the last. */
  limits: Limit[]
  /** By default the provider's own (`COSTS` in cost.ts). */
  cost: Cost | null
  /** By default the provider's own. */
  headers: HeaderNames | null
  /** From so many seconds on, all limits are multiplied by the factor. */
  changes: { at_s: number; factor: number }[]
  /** By default the ways of the provider (`WAYS` in moments.ts). */
  ways: Way[] | null
  /** What fails; the first that applies is met. */
  failures: Failure[]
  /** After so many refusals within a second everything is refused for some seconds, and the headers name the end. */
  penalty: { refusals: number; seconds: number } | null
  /** Something in front that gives up on every answer after so many seconds: with 504, or by closing the connection. */
  gateway: { seconds: number; how: 'answer' | 'close' } | null
  /** Calls that are worked on at once; others wait in line unseen, as in vLLM. */
  places: number | null
  /** The text of good answers, and its tokens: what a short label takes. */
  content: string
  output_tokens: number
}

export const DEFAULTS: Settings = {
  provider: 'openai',
  seed: 1,
  latency: { median_ms: 20, sigma: 0 },
  limits: [],
  cost: null,
  headers: null,
  changes: [],
  ways: null,
  failures: [],
  penalty: null,
  gateway: null,
  places: null,
  content: 'fine',
  output_tokens: 12,
}
