// Computes what a model call costs, in whole micro-dollars.
// Guarantee: a cost is never negative, and a call that costs something never rounds down to free.

/** US dollars per million tokens, which is also micro-dollars per token. */
export interface Rates {
  input_per_mtok?: number
  output_per_mtok?: number
  /** For the part of the input read from the provider's cache; the input price when absent, as for those below. */
  cached_input_per_mtok?: number
  /** For the part of the input written to the cache, and of it what the cache keeps for an hour. */
  cache_write_per_mtok?: number
  cache_write_1h_per_mtok?: number
  /** For the part of the input that is sound, also where the cache served it, and for the part that is images. */
  input_audio_per_mtok?: number
  cached_audio_per_mtok?: number
  input_image_per_mtok?: number
  /** For the part of the output that is sound or images; the output price when absent. */
  output_audio_per_mtok?: number
  output_image_per_mtok?: number
  /** For thinking and citations that are billed beside the output. */
  reasoning_per_mtok?: number
  citation_per_mtok?: number
}

export interface Price extends Rates {
  /** Rates of all tokens of a call whose input is longer than `tokens`, the least `tokens` first. */
  above?: readonly (Rates & { tokens: number })[]
  /** Dollars, in addition to the tokens. */
  per_call?: number
  /** The fee of a call by how much of the web it took in, where that is reported. */
  per_call_by?: Readonly<Record<string, number>>
  per_search?: number
  per_audio_hour?: number
  /** The factor of the whole cost by `tierKeys`, such as `batch`. */
  service?: Readonly<Record<string, number>>
  /** The list names every part of the tokens that has a rate of its own. A project's own price is for all of them. */
  is_listed?: true
}

/** What a call consumed, from which its cost is computed. */
export interface Consumption {
  /** All input tokens, whether read from or written to a cache or neither. */
  input_tokens: number
  /** All output tokens, those of thinking included. */
  output_tokens: number
  /** This field and those below are absent if they are zero. Input tokens read from a cache, and written to one. */
  cached_input_tokens?: number
  cache_write_tokens?: number
  /** Of these, the tokens that the cache keeps for an hour. */
  cache_write_1h_tokens?: number
  /** The audio tokens among the input, among the input that a cache served, and among the output. */
  input_audio_tokens?: number
  cached_audio_tokens?: number
  output_audio_tokens?: number
  /** The image tokens among the input and the output. */
  input_image_tokens?: number
  output_image_tokens?: number
  /** Tokens that Perplexity bills beside the output: of its thinking, and of what it cites. */
  billed_reasoning_tokens?: number
  citation_tokens?: number
  /** The length of the input audio, if it is billed by its length. */
  audio_seconds?: number
  images?: number
  /** Searches of the web, or of documents to rank. */
  searches?: number
  /** How much of the web a search took in, where the fee of a call depends on it. */
  search_context?: string
  /** The tier that the call was served in, if it is not the usual one; how fast; and where. */
  service_tier?: string
  speed?: string
  inference_geo?: string
  /** If the usage is the sum of several calls: how many, and the input tokens of the longest of them. */
  calls?: number
  longest_input_tokens?: number
  /** The provider's own bill, in micro-dollars. Zero is a bill, too. */
  billed_micro?: number
  /** Some of what the call consumed is not known, so its cost is a lower bound. */
  is_partial?: true
}

const MICRO = 1_000_000

/** Micro-dollars by the price, rounded up. */
export function costMicro(usage: Consumption, price: Price): number {
  const rates = ratesOf(promptOf(usage), price)
  const micro =
    inputMicro(usage, rates) +
    outputMicro(usage, rates) +
    feeOf(price, usage) * (usage.calls ?? 1) * MICRO +
    (usage.searches ?? 0) * (price.per_search ?? 0) * MICRO +
    ((usage.audio_seconds ?? 0) / 3600) * (price.per_audio_hour ?? 0) * MICRO
  const factor = factorsOf(price, usage).reduce<number>((all, { least }) => all * least, 1)
  // 1000 × 0.15 + 3 × 0.1 has a rounding error in its last digits. The error must not add a micro-dollar, but a
  // hundred-thousandth of one, the finest step of prices, must.
  return Math.ceil(micro * factor * (1 - 2e-15))
}

/** Each token of the input has one rate: parts that the counts let overlap are cut to what is left. */
function inputMicro(usage: Consumption, rates: Rates): number {
  const input = rates.input_per_mtok ?? 0
  const cachedRate = rates.cached_input_per_mtok ?? input
  const writeRate = rates.cache_write_per_mtok ?? input
  const cached = Math.min(usage.cached_input_tokens ?? 0, usage.input_tokens)
  const cachedAudio = Math.min(usage.cached_audio_tokens ?? 0, cached)
  const written = Math.min(usage.cache_write_tokens ?? 0, usage.input_tokens - cached)
  const hour = Math.min(usage.cache_write_1h_tokens ?? 0, written)
  let left = usage.input_tokens - cached - written
  const audio = Math.min(Math.max(0, (usage.input_audio_tokens ?? 0) - cachedAudio), left)
  left -= audio
  const images = Math.min(usage.input_image_tokens ?? 0, left)
  left -= images
  return (
    left * input +
    (cached - cachedAudio) * cachedRate +
    cachedAudio * (rates.cached_audio_per_mtok ?? cachedRate) +
    (written - hour) * writeRate +
    hour * (rates.cache_write_1h_per_mtok ?? writeRate) +
    audio * (rates.input_audio_per_mtok ?? input) +
    images * (rates.input_image_per_mtok ?? input)
  )
}

function outputMicro(usage: Consumption, rates: Rates): number {
  const output = rates.output_per_mtok ?? 0
  const audio = Math.min(usage.output_audio_tokens ?? 0, usage.output_tokens)
  const images = Math.min(usage.output_image_tokens ?? 0, usage.output_tokens - audio)
  return (
    (usage.output_tokens - audio - images) * output +
    audio * (rates.output_audio_per_mtok ?? output) +
    images * (rates.output_image_per_mtok ?? output) +
    (usage.billed_reasoning_tokens ?? 0) * (rates.reasoning_per_mtok ?? 0) +
    (usage.citation_tokens ?? 0) * (rates.citation_per_mtok ?? 0)
  )
}

function feeOf({ per_call = 0, per_call_by }: Price, { search_context: context }: Consumption): number {
  if (context === undefined || per_call_by === undefined) return per_call
  return Object.hasOwn(per_call_by, context) ? per_call_by[context]! : per_call
}

/** What an unknown tier costs at least: some are cheaper, and some were paid ahead. Others cost more than usual. */
const LEAST_FACTOR: Readonly<Record<string, number>> = {
  batch: 0.5,
  flex: 0.5,
  scale: 0,
  provisioned: 0,
  provisioned_throughput: 0,
  reserved: 0,
}

/** What an answer says of how it was served, as `Price.service` has it. */
const tierKeys = ({ service_tier, speed, inference_geo }: Consumption): string[] => [
  ...(service_tier === undefined ? [] : [service_tier]),
  ...(speed === undefined ? [] : [`speed:${speed}`]),
  ...(inference_geo === undefined ? [] : [`geo:${inference_geo}`]),
]

/** The factor of each word that an answer says of how it was served, which may be any text: `constructor` is none. */
function factorsOf({ service }: Price, usage: Consumption): { isKnown: boolean; least: number }[] {
  return tierKeys(usage).map(key => {
    const known = service !== undefined && Object.hasOwn(service, key) ? service[key] : undefined
    const least = Object.hasOwn(LEAST_FACTOR, key) ? LEAST_FACTOR[key]! : 1
    return { isKnown: known !== undefined, least: known ?? least }
  })
}

/** How long the prompt of a call was; of several calls the longest, or the average if only their sum is known. */
const promptOf = ({ input_tokens, calls = 1, longest_input_tokens }: Consumption): number =>
  longest_input_tokens ?? input_tokens / calls

function ratesOf(prompt_tokens: number, price: Price): Rates {
  if (price.above === undefined) return price
  return price.above.findLast(({ tokens }) => prompt_tokens > tokens) ?? price
}

/** Whether the price says what the call costs; else its cost is a lower bound. */
export function covers(price: Price, usage: Consumption): boolean {
  if (isFree(price)) return true
  if (usage.is_partial || factorsOf(price, usage).some(({ isKnown }) => !isKnown)) return false
  if (usage.input_tokens > 0 && price.input_per_mtok === undefined) return false
  if (usage.output_tokens > 0 && price.output_per_mtok === undefined) return false
  if ((usage.audio_seconds ?? 0) > 0 && price.per_audio_hour === undefined) return false
  if (price.is_listed && lacksRate(price, usage)) return false
  if (usage.input_tokens > 0 || usage.output_tokens > 0) return true
  if ((usage.searches ?? 0) > 0) return price.per_search !== undefined
  return (usage.images ?? 0) === 0
}

/** Parts whose rate differs from that of other tokens wherever somebody bills them. */
function lacksRate(price: Price, usage: Consumption): boolean {
  const rates = ratesOf(promptOf(usage), price)
  return (
    ((usage.input_audio_tokens ?? 0) > 0 && rates.input_audio_per_mtok === undefined) ||
    ((usage.output_audio_tokens ?? 0) > 0 && rates.output_audio_per_mtok === undefined) ||
    ((usage.output_image_tokens ?? 0) > 0 && rates.output_image_per_mtok === undefined) ||
    ((usage.cache_write_1h_tokens ?? 0) > 0 && rates.cache_write_1h_per_mtok === undefined) ||
    ((usage.billed_reasoning_tokens ?? 0) > 0 && rates.reasoning_per_mtok === undefined) ||
    ((usage.citation_tokens ?? 0) > 0 && rates.citation_per_mtok === undefined) ||
    ((usage.searches ?? 0) > 0 && price.per_search === undefined && price.per_call === undefined)
  )
}

/** A price of nothing is the cost of any call, also of one whose counts are not known. */
function isFree(price: Price): boolean {
  const { input_per_mtok, output_per_mtok, per_call = 0, per_search = 0, per_audio_hour = 0 } = price
  const isZero = input_per_mtok === 0 && (output_per_mtok ?? 0) === 0
  return isZero && per_call + per_search + per_audio_hour === 0 && price.above === undefined
}

/** What a call cost: by the provider's own bill if there is one, else by the price; and what the price makes of it. */
export interface Cost {
  cost_micro: number
  /** The cost is the provider's own bill. */
  is_billed: boolean
  /** By the price, beside a bill. Null without either. */
  listed_micro: number | null
  is_known: boolean
}

/** A bill that only the agent's own host saw (`isClaim`) makes no model cheaper than the list has it. */
export function costOf(usage: Consumption, price: Price | undefined, isClaim = false): Cost {
  const listed = price && costMicro(usage, price)
  const { billed_micro } = usage
  const isBelow = isClaim && price?.is_listed === true && (billed_micro ?? 0) < (listed ?? 0)
  if (billed_micro !== undefined && !isBelow)
    return { cost_micro: billed_micro, is_billed: true, listed_micro: listed ?? null, is_known: true }
  return {
    cost_micro: listed ?? 0,
    is_billed: false,
    listed_micro: null,
    is_known: price !== undefined && covers(price, usage),
  }
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
