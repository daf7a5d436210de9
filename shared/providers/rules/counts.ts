// What a model call consumed, in one form, settled from counts in any provider's or client's words. Guarantee: counts
// that contradict each other or lack a part never make a cost that is too low without `is_partial`.

import type { Consumption } from '../../prices/rules/pricing.ts'

export interface CompletionUsage extends Consumption {
  cached_input_tokens: number
}

/** Counts as an answer has them. Absent is not zero. */
export interface Counts
  extends Omit<CompletionUsage, 'input_tokens' | 'output_tokens' | 'cached_input_tokens'> {
  input_tokens?: number | undefined
  output_tokens?: number | undefined
  cached_input_tokens?: number | undefined
  total_tokens?: number | undefined
  /** Thinking, which most count in the output and some beside it. */
  thinking_tokens?: number | undefined
}

/**
 * What an answer has, and so what its counts must show: a text or calls, data alone, or nothing. Where an agent counts
 * itself, what it leaves out is zero; only zeros of everything, beside a text, are no counts.
 */
export type Content = 'text' | 'data' | 'nothing' | 'counted'

/** Undefined if nothing was counted. */
export function settled(counts: Counts, content: Content): CompletionUsage | undefined {
  const {
    input_tokens,
    output_tokens,
    total_tokens = 0,
    thinking_tokens = 0,
    cached_input_tokens = 0,
    ...more
  } = counts
  const isCounted = input_tokens !== undefined || output_tokens !== undefined || total_tokens > 0
  if (!isCounted && more.billed_micro === undefined && !hasOther(more)) return undefined
  const cache = cached_input_tokens + (more.cache_write_tokens ?? 0)
  let [input, output] = [input_tokens ?? 0, output_tokens ?? 0]
  // More came from the cache than went in: the input is without its cache.
  if (cache > input) input += cache
  const rest = total_tokens - input - output
  // Thinking may by chance be as much as the cache; it explains the rest where it is counted.
  if (rest > 0 && rest === cache && rest !== thinking_tokens) input += rest
  else if (rest > 0 && input > 0) output += rest
  else if (rest > 0 && output > 0) input = rest
  else if (total_tokens === 0 && thinking_tokens > output) output += thinking_tokens
  const lacks = {
    text: input === 0 || output === 0,
    data: input + output === 0 && !hasOther(more),
    nothing: input === 0 && input_tokens !== 0,
    counted: input + output === 0,
  }[content]
  return {
    input_tokens: input,
    output_tokens: output,
    cached_input_tokens,
    ...more,
    ...(lacks && { is_partial: true }),
  }
}

/** Whether something other than tokens was counted. */
const hasOther = ({ images = 0, searches = 0, audio_seconds = 0 }: Counts) =>
  images + searches + audio_seconds > 0

const SUMMED = [
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'input_audio_tokens',
  'cached_audio_tokens',
  'output_audio_tokens',
  'input_image_tokens',
  'output_image_tokens',
  'billed_reasoning_tokens',
  'citation_tokens',
  'audio_seconds',
  'images',
  'searches',
] as const satisfies readonly (keyof CompletionUsage)[]
const SHARED = ['search_context', 'service_tier', 'speed', 'inference_geo'] as const

/** The usage of several calls. A bill is the sum's only if each call has one, and a tier only if all share it. */
export function summed(usages: readonly CompletionUsage[]): CompletionUsage | undefined {
  if (usages.length < 2) return usages[0]
  const sum = (name: (typeof SUMMED)[number] | 'billed_micro') =>
    usages.reduce((total, usage) => total + (usage[name] ?? 0), 0)
  const shared = SHARED.filter(name => usages.every(usage => usage[name] === usages[0]![name]))
  const isMixed = shared.length < SHARED.length
  return {
    ...(Object.fromEntries(SUMMED.map(name => [name, sum(name)])) as Record<(typeof SUMMED)[number], number>),
    ...Object.fromEntries(shared.flatMap(name => (usages[0]![name] ? [[name, usages[0]![name]]] : []))),
    ...(usages.every(({ billed_micro }) => billed_micro !== undefined) && {
      billed_micro: sum('billed_micro'),
    }),
    calls: usages.length,
    longest_input_tokens: usages.reduce((most, usage) => Math.max(most, usage.input_tokens), 0),
    ...((isMixed || usages.some(({ is_partial }) => is_partial)) && { is_partial: true }),
  }
}
