// What the data of prices lacks: factors of tiers, fees by the search of a call, and rates of parts of the tokens. Each was
// read on the page that stands beside it, in November 2026; where pages differ or say no number, it is not here, and the cost
// of such a call is a lower bound.

import type { Price } from './pricing.ts'

/** A price, by the length of the prompt where it depends on that. */
export type Tiered = number | { base: number; tiers: { start: number; price: number }[] }
/** By unit, such as `input_mtok`. */
export type UnitPrices = Partial<Record<string, Tiered>>

/**
 * - OpenAI's batch and flexible calls: https://developers.openai.com/api/docs/pricing
 * - Anthropic's batches, and a tenth more where calls must stay in the USA: https://platform.claude.com/docs/en/about-claude/pricing
 * - Google: https://ai.google.dev/gemini-api/docs/optimization (its priority calls cost 75 to 100 % more, by model)
 * - Amazon's batches: https://docs.aws.amazon.com/bedrock/latest/userguide/capacity-limits-cost-optimization.html (its other
 *   tiers are said to be cheaper or dearer, without a number)
 * - Groq bills its flexible calls as others: https://console.groq.com/docs/flex-processing; its batches cost half
 */
const SERVICE: Record<string, Record<string, number>> = {
  openai: { batch: 0.5, flex: 0.5 },
  anthropic: { batch: 0.5, 'geo:us': 1.1 },
  google: { batch: 0.5, flex: 0.5 },
  aws: { batch: 0.5 },
  groq: { batch: 0.5, flex: 1 },
}

/**
 * OpenAI's priority calls, by model: https://openai.com/api-priority-processing/, and where that has no row LiteLLM's
 * model_prices_and_context_window.json of July 2026. The two differ about gpt-5.5 (2.5 and 2).
 */
const PRIORITY: Record<string, number> = {
  'gpt-4.1': 1.75,
  'gpt-4.1-mini': 1.75,
  'gpt-4.1-nano': 2,
  'gpt-4o': 1.7,
  'gpt-4o-2024-05-13': 1.75,
  'gpt-4o-mini': 5 / 3,
  'gpt-5': 2,
  'gpt-5-mini': 1.8,
  'gpt-5.1': 2,
  'gpt-5.1-codex-mini': 1.8,
  'gpt-5.2': 2,
  'gpt-5.3-codex': 2,
  'gpt-5.4': 2,
  'gpt-5.4-mini': 2,
  o3: 1.75,
  'o4-mini': 20 / 11,
}

/**
 * Anthropic's fast mode, as OpenRouter lists it ($30 and $150; of Opus 5 $10 and $50):
 * https://openrouter.ai/anthropic/claude-opus-4.6-fast and the pages of the others. Of Opus 4.8 pages differ.
 */
const FAST: Record<string, number> = { 'claude-opus-4-6': 6, 'claude-opus-4-7': 6, 'claude-opus-5': 2 }

export function serviceOf(provider: string, model: string): Pick<Price, 'service'> {
  const priority = provider === 'openai' && Object.hasOwn(PRIORITY, model) ? PRIORITY[model] : undefined
  const fast = provider === 'anthropic' && Object.hasOwn(FAST, model) ? FAST[model] : undefined
  const service = {
    ...SERVICE[provider],
    ...(priority !== undefined && { priority }),
    ...(fast !== undefined && { 'speed:fast': fast }),
  }
  return Object.keys(service).length === 0 ? {} : { service }
}

/**
 * Dollars a call at Perplexity, by how much of the web its search takes in; the data has the highest.
 * https://docs.perplexity.ai/docs/getting-started/pricing
 */
const FEES: Record<string, Readonly<Record<string, number>>> = {
  sonar: { low: 0.005, medium: 0.008, high: 0.012 },
  'sonar-reasoning': { low: 0.005, medium: 0.008, high: 0.012 },
  'sonar-pro': { low: 0.006, medium: 0.01, high: 0.014 },
  'sonar-reasoning-pro': { low: 0.006, medium: 0.01, high: 0.014 },
}

export const feesOf = (provider: string, model: string): Pick<Price, 'per_call_by'> =>
  provider === 'perplexity' && Object.hasOwn(FEES, model) ? { per_call_by: FEES[model]! } : {}

/** Sound of OpenAI's first models with it, as LiteLLM's list has it. */
const SOUND: Record<string, UnitPrices> = {
  'gpt-4o-audio-preview': { input_audio_mtok: 40, output_audio_mtok: 80 },
  'gpt-4o-mini-audio-preview': { input_audio_mtok: 10, output_audio_mtok: 20 },
}

export function addedUnits(provider: string, model: string, prices: UnitPrices): UnitPrices {
  const { input_mtok, output_mtok } = prices
  if (provider === 'openai' && Object.hasOwn(SOUND, model)) return SOUND[model]!
  // Models that say nothing but images or sound have one price of their output.
  if (/^gpt-image-/.test(model) && prices.output_image_mtok === undefined && output_mtok !== undefined)
    return { output_image_mtok: output_mtok }
  // What a cache keeps for an hour costs twice the input, at Anthropic and wherever its models run.
  const hour = /claude/.test(model) && prices.cache_write_mtok !== undefined && typeof input_mtok === 'number'
  if (hour && prices.cache_write_1h_mtok === undefined) return { cache_write_1h_mtok: 2 * input_mtok }
  // Google names the rate of sound only where it differs.
  if (provider !== 'google') return {}
  return {
    ...(prices.input_audio_mtok === undefined &&
      input_mtok !== undefined && { input_audio_mtok: input_mtok }),
    ...(/-tts\b/.test(model) && output_mtok !== undefined && { output_audio_mtok: output_mtok }),
  }
}
