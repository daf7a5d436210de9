// What a call takes of the limits, before and after its answer.

import type { Use } from './limits.ts'
import type { Cost, Provider } from './settings.ts'

const LARGER: Cost = { before: 'larger', settles: false }

/** From the providers' own pages: Anthropic counts output as it is made, Bedrock reserves both, Gemini counts input alone. */
export const COSTS: Record<Provider, Cost> = {
  openai: LARGER,
  azure: LARGER,
  anthropic: { before: 'input', settles: true },
  gemini: { before: 'input', settles: false },
  bedrock: { before: 'sum', settles: true },
  groq: LARGER,
  openrouter: LARGER,
  vllm: LARGER,
}

/** `most` is what an answer may have, 0 if the call does not say. */
export function useBefore({ before }: Cost, input_tokens: number, most: number): Use {
  const input = { requests: 1, input_tokens }
  if (before === 'input') return { ...input, tokens: input_tokens, output_tokens: 0 }
  const tokens = before === 'sum' ? input_tokens + most : Math.max(input_tokens, most)
  return { ...input, tokens, output_tokens: most }
}

export const useAfter = (before: Use, output_tokens: number): Use => ({
  ...before,
  output_tokens,
  tokens: before.input_tokens + output_tokens,
})
