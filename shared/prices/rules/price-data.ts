// Reads the data of `@pydantic/genai-prices`, and finds what a model costs at a moment by it. Guarantee: no unit that
// calls are counted in is left out; an entry that prices neither input tokens nor audio is no price.

import { addedUnits, feesOf, serviceOf, type Tiered, type UnitPrices } from './price-additions.ts'
import type { Price, Rates } from './pricing.ts'

/** The names of a model, or of a provider's models. Upper and lower case are equal, except in regular expressions. */
export type Match =
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string }
  | { or: Match[] }
  | { and: Match[] }

interface Conditional {
  /** Absent for prices that hold when no others do. */
  constraint?: { start_date: string } | { start_time: string; end_time: string } | null
  prices: UnitPrices
}

export interface ListedModel {
  id: string
  match: Match
  prices: UnitPrices | Conditional[]
}

export interface ListedProvider {
  id: string
  /** A regular expression of the URLs of its API. */
  api_pattern?: string
  model_match?: Match
  provider_match?: Match
  fallback_model_providers?: string[]
  models: ListedModel[]
}

/** A model in the list, with its price at any moment. */
export interface Found {
  provider: string
  model: string
  /** The last entry that holds has the price. */
  prices: readonly { holds: (ms: number) => boolean; price: Price }[]
}

export const priceAt = ({ prices }: Found, ms: number): Price =>
  (prices.findLast(({ holds }) => holds(ms)) ?? prices[0]!).price

const UNITS = {
  input_per_mtok: 'input_mtok',
  output_per_mtok: 'output_mtok',
  cached_input_per_mtok: 'cache_read_mtok',
  cache_write_per_mtok: 'cache_write_mtok',
  cache_write_1h_per_mtok: 'cache_write_1h_mtok',
  input_audio_per_mtok: 'input_audio_mtok',
  cached_audio_per_mtok: 'cache_audio_read_mtok',
  input_image_per_mtok: 'input_image_mtok',
  output_audio_per_mtok: 'output_audio_mtok',
  output_image_per_mtok: 'output_image_mtok',
  reasoning_per_mtok: 'output_reasoning_mtok',
  citation_per_mtok: 'output_citation_mtok',
} as const satisfies Record<keyof Rates, string>
const FLAT_UNITS = ['requests_kcount', 'web_searches_kcount', 'audio_hours'] as const

/** The units that calls are counted in; all others are left out of the list. */
const LISTED_UNITS: readonly string[] = [...Object.values(UNITS), ...FLAT_UNITS]

/** A provider's entry without the parts that are not used: other units, models' titles, notes, how to read answers. */
export function slim({
  id,
  api_pattern,
  model_match,
  provider_match,
  fallback_model_providers,
  models,
}: ListedProvider) {
  const listed: ListedProvider = { id, models: models.map(slimModel) }
  if (api_pattern) listed.api_pattern = api_pattern
  if (model_match) listed.model_match = model_match
  if (provider_match) listed.provider_match = provider_match
  if (fallback_model_providers) listed.fallback_model_providers = fallback_model_providers
  return listed
}

function slimModel({ id, match, prices }: ListedModel): ListedModel {
  if (!Array.isArray(prices)) return { id, match, prices: slimPrices(prices) }
  const kept = prices.map(({ constraint, prices }) => ({
    ...(constraint && { constraint }),
    prices: slimPrices(prices),
  }))
  return { id, match, prices: kept }
}

const slimPrices = (prices: UnitPrices): UnitPrices =>
  Object.fromEntries(Object.entries(prices).filter(([unit]) => LISTED_UNITS.includes(unit)))

/** Undefined when there is a price neither of input tokens nor of audio. */
function priceOf(listed: UnitPrices, provider: string, model: string): Price | undefined {
  const prices = { ...listed, ...addedUnits(provider, model, listed) }
  const starts = Object.values(prices).flatMap(price =>
    typeof price === 'object' ? price.tiers.map(tier => tier.start) : [],
  )
  const above = [...new Set(starts)]
    .sort((a, b) => a - b)
    .map(tokens => ({ tokens, ...ratesAbove(prices, tokens) }))
  const [calls, searches, hours] = FLAT_UNITS.map(unit => unitAbove(prices[unit], -1))
  const price: Price = {
    ...ratesAbove(prices, -1),
    ...(above.length > 0 && { above }),
    ...(calls !== undefined && { per_call: calls / 1000, ...feesOf(provider, model) }),
    ...(searches !== undefined && { per_search: searches / 1000 }),
    ...(hours !== undefined && { per_audio_hour: hours }),
    ...serviceOf(provider, model),
    is_listed: true,
  }
  return price.input_per_mtok === undefined && hours === undefined ? undefined : price
}

function ratesAbove(prices: UnitPrices, tokens: number): Rates {
  const entries = Object.entries(UNITS).map(([rate, unit]) => [rate, unitAbove(prices[unit], tokens)])
  return Object.fromEntries(entries.filter(([, price]) => price !== undefined))
}

/** A tier takes effect above its start. */
function unitAbove(price: Tiered | undefined, tokens: number): number | undefined {
  if (typeof price !== 'object') return price
  return price.tiers.findLast(({ start }) => tokens >= start)?.price ?? price.base
}

export function foundOf(provider: string, { id, prices }: ListedModel): Found | undefined {
  const conditional = Array.isArray(prices) ? prices : [{ prices }]
  const priced = conditional.flatMap(({ prices, constraint }) => {
    const price = priceOf(prices, provider, id)
    return price === undefined ? [] : [{ price, holds: holder(constraint ?? null) }]
  })
  return priced.length === 0 ? undefined : { provider, model: id, prices: priced }
}

const DAY_MS = 86_400_000

function holder(constraint: NonNullable<Conditional['constraint']> | null): (ms: number) => boolean {
  if (constraint === null) return () => true
  if ('start_date' in constraint) {
    const from = Date.parse(constraint.start_date)
    return ms => ms >= from
  }
  const [start, end] = [constraint.start_time, constraint.end_time].map(time =>
    Date.parse(`1970-01-01T${time}`),
  )
  return ms => {
    const time = ms % DAY_MS
    return end! < start! ? time >= start! || time < end! : time >= start! && time < end!
  }
}
