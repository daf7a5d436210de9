// What a model call costs, in whole micro-dollars.
// Guarantee: an unknown model has no price (undefined), and a priced call with tokens never rounds down to free.

import list from './prices.json' with { type: 'json' }

/** US dollars per million tokens, which is also micro-dollars per token. */
export interface Price {
  input_per_mtok: number
  output_per_mtok: number
  /** For the part of the input read from the provider's cache; the input price when absent. */
  cached_input_per_mtok?: number
}

export interface TokenCounts {
  /** All input tokens, those read from the cache included. */
  input_tokens: number
  output_tokens: number
  cached_input_tokens?: number
}

const listed: ReadonlyMap<string, Price> = new Map(Object.entries<Price>(list.models))

/** Whose models these are; a host that sets its own prices (a reseller, a cloud's region) is not among them. */
const PROVIDER_PREFIXES =
  /^(?:(?:openai|anthropic|google|gemini|models|mistral|mistralai|deepseek|groq)\/|anthropic\.)+/

/**
 * The end of a name that pins a snapshot of the same model: a date (`-2024-08-06`, `-20250929`, `@20250929`), a
 * month (`-0613`, `-2411`), a revision (`-001`, `-v2:0`) or `-latest`. One or two digits are part of the model's
 * name: `claude-sonnet-4-5` is no snapshot of `claude-sonnet-4`.
 */
const SNAPSHOT = /(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest))?(?:-v\d+(?::\d+)?)?$/

/** Overrides win over the list; in each, the exact name wins over the name without prefix and snapshot. */
export function priceOf(model: string, overrides?: Record<string, Price>): Price | undefined {
  const own = overrides === undefined ? undefined : lookUp(model, name => ownPrice(overrides, name))
  return own ?? lookUp(model, name => listed.get(name))
}

function lookUp(model: string, priceFor: (name: string) => Price | undefined): Price | undefined {
  const exact = priceFor(model)
  if (exact !== undefined) return exact
  const bare = model.replace(PROVIDER_PREFIXES, '')
  return priceFor(bare) ?? priceFor(bare.replace(SNAPSHOT, '')) ?? priceFor(model.replace(SNAPSHOT, ''))
}

function ownPrice(overrides: Record<string, Price>, name: string): Price | undefined {
  return Object.hasOwn(overrides, name) ? overrides[name] : undefined
}

/** Micro-dollars, rounded up. */
export function costMicro(usage: TokenCounts, price: Price): number {
  const cached = Math.min(usage.cached_input_tokens ?? 0, usage.input_tokens)
  const micro =
    (usage.input_tokens - cached) * price.input_per_mtok +
    cached * (price.cached_input_per_mtok ?? price.input_per_mtok) +
    usage.output_tokens * price.output_per_mtok
  // 1000 × 0.15 + 3 × 0.1 carries an error in its last digits; that alone must not add a micro-dollar.
  return Math.ceil(micro * (1 - 1e-12))
}

/** Cents as callers name them, fractions too; exact up to LIMITS.budget_cents. */
export function microOf(cents: number): number {
  return Math.round(cents * 10_000)
}

/** Whole cents for the edge; half a cent rounds up. */
export function centsOf(micro: number): number {
  return Math.floor((micro + 5_000) / 10_000)
}

export function usdOf(micro: number): number {
  return micro / 1_000_000
}
