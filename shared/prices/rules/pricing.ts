// Computes what a model call costs, in whole micro-dollars.
// Guarantee: a cost is never negative, and a call that costs something never rounds down to free.

/** US dollars per million tokens, which is also micro-dollars per token. */
export interface Rates {
  input_per_mtok?: number
  output_per_mtok?: number
  /** For the part of the input read from the provider's cache; the input price when absent, as for those below. */
  cached_input_per_mtok?: number
  /** For the part of the input written to the cache. */
  cache_write_per_mtok?: number
  /** For the part of the input that is sound. */
  input_audio_per_mtok?: number
  /** For the part of the output that is sound; the output price when absent. */
  output_audio_per_mtok?: number
}

export interface Price extends Rates {
  /** Rates of all tokens of a call whose input is longer than `tokens`, the least `tokens` first. */
  above?: readonly (Rates & { tokens: number })[]
  /** Dollars, in addition to the tokens. */
  per_call?: number
  per_search?: number
  per_audio_hour?: number
  /** The factor of the whole cost in a tier of service, such as `batch`. */
  service?: Readonly<Record<string, number>>
}

/** What a call consumed, from which its cost is computed. */
export interface Consumption {
  /** All input tokens, those read from the cache included. */
  input_tokens: number
  output_tokens: number
  cached_input_tokens?: number
  cache_write_tokens?: number
  input_audio_tokens?: number
  output_audio_tokens?: number
  audio_seconds?: number
  images?: number
  searches?: number
  service_tier?: string
  /** How many calls all this is the sum of; one when absent. */
  calls?: number
  /** The longest input among several calls, if it is known. */
  longest_input_tokens?: number
}

const MICRO = 1_000_000

/** Micro-dollars, rounded up. */
export function costMicro(usage: Consumption, price: Price): number {
  const rates = ratesOf(promptOf(usage), price)
  const input = rates.input_per_mtok ?? 0
  const output = rates.output_per_mtok ?? 0
  const cached = Math.min(usage.cached_input_tokens ?? 0, usage.input_tokens)
  const written = Math.min(usage.cache_write_tokens ?? 0, usage.input_tokens - cached)
  const heard = Math.min(usage.input_audio_tokens ?? 0, usage.input_tokens - cached - written)
  const spoken = Math.min(usage.output_audio_tokens ?? 0, usage.output_tokens)
  const micro =
    (usage.input_tokens - cached - written - heard) * input +
    cached * (rates.cached_input_per_mtok ?? input) +
    written * (rates.cache_write_per_mtok ?? input) +
    heard * (rates.input_audio_per_mtok ?? input) +
    (usage.output_tokens - spoken) * output +
    spoken * (rates.output_audio_per_mtok ?? output) +
    (price.per_call ?? 0) * (usage.calls ?? 1) * MICRO +
    (usage.searches ?? 0) * (price.per_search ?? 0) * MICRO +
    ((usage.audio_seconds ?? 0) / 3600) * (price.per_audio_hour ?? 0) * MICRO
  const factor = factorOf(price, usage.service_tier)
  // 1000 × 0.15 + 3 × 0.1 has a rounding error in its last digits. The error must not add a micro-dollar, but a
  // hundred-thousandth of one, the finest step of prices, must.
  return Math.ceil(micro * factor * (1 - 2e-15))
}

/** The factor of the tier that an answer names, which may be any text: `constructor` is no tier. */
function factorOf({ service }: Price, tier: string | undefined): number {
  return tier !== undefined && service !== undefined && Object.hasOwn(service, tier) ? service[tier]! : 1
}

/** How long the prompt of a call was; of several calls the longest, or the average if only their sum is known. */
const promptOf = ({ input_tokens, calls = 1, longest_input_tokens }: Consumption): number =>
  longest_input_tokens ?? input_tokens / calls

function ratesOf(prompt_tokens: number, price: Price): Rates {
  if (price.above === undefined) return price
  return price.above.findLast(({ tokens }) => prompt_tokens > tokens) ?? price
}

/**
 * Whether the price says what the call costs. A price by tokens does not cover sound billed by its length, nor output
 * tokens without a rate for them. Searches and images next to tokens are ignored, so the cost is a lower bound.
 */
export function covers(price: Price, usage: Consumption): boolean {
  if (usage.input_tokens > 0 && price.input_per_mtok === undefined) return false
  if (usage.output_tokens > 0 && price.output_per_mtok === undefined) return false
  if (usage.input_tokens > 0 || usage.output_tokens > 0) return true
  if ((usage.audio_seconds ?? 0) > 0) return price.per_audio_hour !== undefined
  if ((usage.searches ?? 0) > 0) return price.per_search !== undefined
  return (usage.images ?? 0) === 0
}

/** Micro-dollars of cents, which may have fractions; exact up to LIMITS.budget_cents. */
export function microOf(cents: number): number {
  return Math.round(cents * 10_000)
}

/** Whole cents for the edge; half a cent rounds up. */
export function centsOf(micro: number): number {
  return Math.floor((micro + 5_000) / 10_000)
}

export function usdOf(micro: number): number {
  return micro / MICRO
}
