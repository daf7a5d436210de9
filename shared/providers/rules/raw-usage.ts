// Reads the usage of a call in the words of the provider that counted it, whichever client passes it on.

import { type Counts, type Fields, fields, filled, type Gathered, list } from './answer.ts'
import { billOf } from './bills.ts'

/** By the words of the counts themselves; undefined if they are nobody's. */
export function countsOf(usage: Fields | undefined, gathered: Gathered): Counts | undefined {
  if (usage === undefined) return undefined
  const has = (...names: string[]) => names.some(name => usage[name] !== undefined && usage[name] !== null)
  if (has('promptTokenCount', 'candidatesTokenCount', 'totalTokenCount')) return geminiCounts(usage, gathered)
  if (has('prompt_tokens', 'completion_tokens', 'promptTokens', 'completionTokens'))
    return chatCounts(usage, gathered)
  if (has('cache_creation_input_tokens', 'cache_read_input_tokens', 'cache_creation'))
    return anthropicCounts(usage, gathered)
  if (has('input_tokens', 'output_tokens')) return responsesCounts(usage, gathered)
  if (has('inputTokens') && has('cacheReadInputTokens', 'cacheWriteInputTokens', 'totalTokens'))
    return converseCounts(usage, gathered)
  return undefined
}

/** OpenAI's chat and all who count in its words, in snake case or in the camel case of clients. */
export function chatCounts(usage: Fields, gathered: Gathered): Counts {
  const input = fields(usage.prompt_tokens_details ?? usage.promptTokensDetails)
  const output = fields(usage.completion_tokens_details ?? usage.completionTokensDetails)
  // LiteLLM adds Anthropic's counts to OpenAI's.
  const written =
    gathered.count(
      input,
      'cache_write_tokens',
      'cacheWriteTokens',
      'cache_creation_tokens',
      'cacheCreationTokens',
    ) || gathered.count(usage, 'cache_creation_input_tokens')
  return {
    input_tokens: gathered.known(usage, 'prompt_tokens', 'promptTokens'),
    output_tokens: gathered.known(usage, 'completion_tokens', 'completionTokens'),
    total_tokens: gathered.count(usage, 'total_tokens', 'totalTokens'),
    thinking_tokens: gathered.count(output, 'reasoning_tokens', 'reasoningTokens'),
    // DeepSeek and Moonshot report tokens read from a cache outside the details.
    cached_input_tokens:
      gathered.count(input, 'cached_tokens', 'cachedTokens') ||
      gathered.count(usage, 'prompt_cache_hit_tokens', 'cached_tokens', 'cache_read_input_tokens'),
    cache_write_tokens: written,
    cache_write_1h_tokens: hourOf(
      fields(input?.cache_creation_token_details) ?? fields(usage.cache_creation),
      gathered,
    ),
    input_audio_tokens: gathered.count(input, 'audio_tokens', 'audioTokens'),
    output_audio_tokens: gathered.count(output, 'audio_tokens', 'audioTokens'),
    input_image_tokens: gathered.count(input, 'image_tokens', 'imageTokens'),
    output_image_tokens: gathered.count(output, 'image_tokens', 'imageTokens'),
    ...secondsOf(usage.prompt_audio_seconds ?? usage.promptAudioSeconds, gathered),
    ...perplexityCounts(usage, gathered),
    ...modesOf(usage),
    ...billed(usage),
  }
}

/** Mistral bills sound by its length; it has an empty value for a call without any. */
const secondsOf = (value: unknown, gathered: Gathered) =>
  typeof value === 'number' ? { audio_seconds: gathered.seconds(value) } : {}

function perplexityCounts(usage: Fields, gathered: Gathered): Counts {
  const searches = gathered.count(usage, 'num_search_queries', 'numSearchQueries', 'num_sources_used')
  const context = usage.search_context_size ?? usage.searchContextSize
  const isResearch = usage.citation_tokens != null || usage.num_search_queries != null
  return {
    searches,
    ...(filled(context) && { search_context: context }),
    ...(isResearch && {
      citation_tokens: gathered.count(usage, 'citation_tokens'),
      billed_reasoning_tokens: gathered.count(usage, 'reasoning_tokens'),
    }),
  }
}

/** Anthropic counts what was read from and written to a cache beside the input. */
export function anthropicCounts(usage: Fields, gathered: Gathered): Counts {
  const iterations = list(usage.iterations).map(fields)
  const isServedElsewhere = iterations.some(round => round?.type === 'fallback_message')
  // A compaction is a call of its own before the answer's, which alone the sum has. Another model has another price.
  const rounds = isServedElsewhere ? [] : iterations.filter(isRound)
  const calls = rounds.length
  const sumOf = (name: string) =>
    rounds.reduce((sum, round) => sum + gathered.count(round, name), 0) || gathered.known(usage, name)
  const cached = sumOf('cache_read_input_tokens') ?? 0
  const written = sumOf('cache_creation_input_tokens') ?? 0
  const fresh = sumOf('input_tokens')
  return {
    ...(fresh !== undefined && { input_tokens: fresh + cached + written }),
    output_tokens: sumOf('output_tokens'),
    cached_input_tokens: cached,
    cache_write_tokens: written,
    cache_write_1h_tokens: hourOf(fields(usage.cache_creation), gathered),
    searches: gathered.count(fields(usage.server_tool_use), 'web_search_requests'),
    ...(calls > 1 && { calls, longest_input_tokens: longestOf(rounds, gathered) }),
    ...(calls < iterations.length && { is_partial: true }),
    ...modesOf(usage),
    ...billed(usage),
  }
}

const isRound = (round: Fields | undefined): round is Fields =>
  round !== undefined && (round.type === 'message' || round.type === 'compaction') && round.model == null

const longestOf = (rounds: readonly Fields[], gathered: Gathered) =>
  rounds.reduce((most, round) => Math.max(most, gathered.count(round, 'input_tokens')), 0)

const hourOf = (written: Fields | undefined, gathered: Gathered) =>
  gathered.count(written, 'ephemeral_1h_input_tokens', 'ephemeral1hInputTokens')

/** OpenAI's responses, transcripts and images. */
export function responsesCounts(usage: Fields, gathered: Gathered): Counts {
  const input = fields(usage.input_tokens_details ?? usage.inputTokensDetails ?? usage.input_token_details)
  const output = fields(
    usage.output_tokens_details ?? usage.outputTokensDetails ?? usage.output_token_details,
  )
  return {
    input_tokens: gathered.known(usage, 'input_tokens', 'inputTokens'),
    output_tokens: gathered.known(usage, 'output_tokens', 'outputTokens'),
    total_tokens: gathered.count(usage, 'total_tokens', 'totalTokens'),
    thinking_tokens: gathered.count(output, 'reasoning_tokens', 'reasoningTokens'),
    cached_input_tokens: gathered.count(input, 'cached_tokens', 'cachedTokens'),
    cache_write_tokens: gathered.count(input, 'cache_write_tokens', 'cacheWriteTokens'),
    input_audio_tokens: gathered.count(input, 'audio_tokens', 'audioTokens'),
    output_audio_tokens: gathered.count(output, 'audio_tokens', 'audioTokens'),
    input_image_tokens: gathered.count(input, 'image_tokens', 'imageTokens'),
    output_image_tokens: gathered.count(output, 'image_tokens', 'imageTokens'),
    searches: gathered.count(usage, 'num_sources_used'),
    ...modesOf(usage),
    ...billed(usage),
  }
}

/** Gemini counts its thinking beside the candidates. Python's client writes its words in snake case. */
export function geminiCounts(usage: Fields, gathered: Gathered): Counts {
  const prompt = usage.promptTokensDetails ?? usage.prompt_tokens_details
  const candidates = usage.candidatesTokensDetails ?? usage.candidates_tokens_details
  const input = gathered.known(usage, 'promptTokenCount', 'prompt_token_count')
  const output = gathered.known(usage, 'candidatesTokenCount', 'candidates_token_count')
  const thinking = gathered.known(usage, 'thoughtsTokenCount', 'thoughts_token_count')
  const tools = gathered.count(usage, 'toolUsePromptTokenCount', 'tool_use_prompt_token_count')
  return {
    ...(input !== undefined && { input_tokens: input + tools }),
    ...((output ?? thinking) !== undefined && { output_tokens: (output ?? 0) + (thinking ?? 0) }),
    total_tokens: gathered.count(usage, 'totalTokenCount', 'total_token_count'),
    cached_input_tokens: gathered.count(usage, 'cachedContentTokenCount', 'cached_content_token_count'),
    cached_audio_tokens: ofModality(
      usage.cacheTokensDetails ?? usage.cache_tokens_details,
      'AUDIO',
      gathered,
    ),
    input_audio_tokens: ofModality(prompt, 'AUDIO', gathered),
    input_image_tokens: ofModality(prompt, 'IMAGE', gathered),
    output_audio_tokens: ofModality(candidates, 'AUDIO', gathered),
    output_image_tokens: ofModality(candidates, 'IMAGE', gathered),
    ...tierOf(usage.trafficType ?? usage.traffic_type ?? usage.serviceTier ?? usage.service_tier),
  }
}

export const ofModality = (details: unknown, modality: string, gathered: Gathered): number =>
  list(details)
    .map(fields)
    .filter(one => filled(one?.modality) && one.modality.toUpperCase() === modality)
    .reduce((sum, one) => sum + gathered.count(one, 'tokenCount', 'token_count', 'tokens'), 0)

/** Amazon Bedrock's Converse counts what was read from and written to a cache beside the input. */
export function converseCounts(usage: Fields, gathered: Gathered): Counts {
  const cached = gathered.count(usage, 'cacheReadInputTokens')
  const written = gathered.count(usage, 'cacheWriteInputTokens')
  const input = gathered.known(usage, 'inputTokens')
  const hour = list(usage.cacheDetails)
    .map(fields)
    .filter(one => one?.ttl === '1h')
  return {
    ...(input !== undefined && { input_tokens: input + cached + written }),
    output_tokens: gathered.known(usage, 'outputTokens'),
    cached_input_tokens: cached,
    cache_write_tokens: written,
    cache_write_1h_tokens: hour.reduce((sum, one) => sum + gathered.count(one, 'inputTokens'), 0),
  }
}

const billed = (usage: Fields): Counts => {
  const billed_micro = billOf(usage)
  return billed_micro === undefined ? {} : { billed_micro }
}

/** The words for the usual rates, by which a call that names them costs what one that names nothing does. */
const USUAL = new Set(['', 'default', 'standard', 'auto', 'on_demand', 'ondemand', 'unspecified', 'none'])

/** @example tierOf('ON_DEMAND_FLEX') // { service_tier: 'flex' } */
export function tierOf(named: unknown): { service_tier?: string } {
  if (!filled(named)) return {}
  const word = named.toLowerCase().replaceAll('-', '_')
  const tier = word.replace(/^(?:on_demand|service_tier|traffic_type|tier)_/, '')
  return USUAL.has(tier) ? {} : { service_tier: tier }
}

/** Anthropic names a faster and a regional service beside the tier. */
function modesOf(usage: Fields): Counts {
  const { speed, inference_geo: geo } = usage
  return {
    ...tierOf(usage.service_tier ?? usage.serviceTier),
    ...(filled(speed) && !USUAL.has(speed) && { speed }),
    ...(filled(geo) && geo !== 'global' && geo !== 'not_available' && { inference_geo: geo }),
  }
}
