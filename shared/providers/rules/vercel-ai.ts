// Reads answers of the Vercel AI SDK: results of generateText and generateObject, what its providers return to it
// (doGenerate), embeddings, transcripts, images and rankings. A result keeps its text in getters of its class, so its
// JSON has only the list of steps.

import {
  type Counts,
  type Fields,
  type Finish,
  fields,
  filled,
  finishOf,
  Gathered,
  list,
  type Shape,
  some,
  textOf,
  ungraded,
} from './answer.ts'
import { billIn, billInHeaders, billOf } from './bills.ts'
import { summed } from './counts.ts'
import { UNFINISHED, worse } from './finish-words.ts'
import { hostOfChat, hostOfClient } from './hosts.ts'
import { countsOf, tierOf } from './raw-usage.ts'

export const vercelAi: Shape = {
  read(body, inner) {
    const steps = list(body.steps)
    const last = reasonOf(body) === undefined ? fields(steps[steps.length - 1]) : body
    const reason = last && reasonOf(last)
    const hasUsage = (fields(body.totalUsage) ?? fields(last?.usage)) !== undefined
    if (last === undefined || reason === undefined) return undefined
    if (!hasUsage && reason !== UNFINISHED) return undefined
    const gathered = new Gathered()
    if (typeof last.text === 'string') gathered.text = last.text
    else gathered.add(last.content)
    gathered.calls(last.toolCalls)
    gathered.has_data ||= last.object != null || some(last.files)
    const { modelId, body: own } = fields(last.response) ?? {}
    gathered.host = hostIn(last)
    // Some versions keep the provider's own answer, whose word is more exact.
    const finish = worse(finishIn(last), inner(own)?.finish)
    return gathered.completion('vercel_ai', modelId, finish, hasUsage ? totalOf(body, gathered) : undefined)
  },
  messages(body) {
    const steps = list(body.steps).map(fields)
    const last = steps.at(-1)
    if (reasonOf(body) === undefined && (last === undefined || reasonOf(last) === undefined)) return undefined
    return (steps.length > 0 ? steps : [body]).map(step => stepMessage(step ?? {}))
  },
  join(pieces) {
    const end = pieces.findLast(piece => piece.type === 'finish')
    const isBroken = pieces.some(({ type }) => type === 'error' || type === 'abort')
    if (end === undefined && !pieces.some(({ type }) => typeof type === 'string' && BEGINNINGS.has(type)))
      return undefined
    const said = pieces.filter(piece => piece.type === 'text-delta')
    const text = said.map(({ delta, text, textDelta }) => textOf(delta ?? text ?? textDelta)).join('')
    const toolCalls = pieces.filter(piece => piece.type === 'tool-call')
    const metadata = pieces.findLast(piece => piece.type === 'response-metadata')
    const response = fields(end?.response) ?? { modelId: metadata?.modelId }
    const { finishReason = UNFINISHED, rawFinishReason, totalUsage, usage = totalUsage } = end ?? {}
    const finishes = pieces.filter(piece => piece.type === 'finish-step' && piece.usage != null)
    const ended = { finishReason, rawFinishReason, usage: totalUsage ?? usage }
    const kept = {
      providerMetadata: end?.providerMetadata ?? finishes.at(-1)?.providerMetadata,
      ...(finishes.length > 0 && { finishes: finishes.map(finish => ({ ...finish, text })) }),
    }
    return { text, toolCalls, response, ...kept, ...ended, ...(isBroken && { finishReason: UNFINISHED }) }
  },
}

/** Pieces with which a stream of the SDK, or of one of its providers, begins. */
const BEGINNINGS = new Set(['start', 'start-step', 'stream-start', 'text-start', 'text-delta'])

/**
 * The provider's own word decides where the SDK has none for it. From version 6 on, `other` also stands for silence;
 * its usage has details.
 */
function finishIn(last: Fields): Finish {
  const said = reasonOf(last)
  const raw = fields(last.finishReason)?.raw ?? last.rawFinishReason
  if (said !== 'other') return worse(finishOf(said), finishOf(raw))
  if (filled(raw)) return finishOf(raw)
  const isSilent =
    fields(last.finishReason) !== undefined || fields(last.usage)?.inputTokenDetails !== undefined
  return isSilent ? 'other' : finishOf(said)
}

/** The finish reason. Newer providers give an object of the reason and what it was made of. */
function reasonOf({ finishReason }: Fields): string | undefined {
  const reason = fields(finishReason)?.unified ?? finishReason
  return typeof reason === 'string' ? reason : undefined
}

/**
 * The usage of all steps, each of which is a call with its own prompt. Where steps lack theirs, the sum that the SDK
 * made; it knows less of a call than the call itself.
 */
function totalOf(body: Fields, gathered: Gathered): Counts | undefined {
  const steps = list(body.steps ?? body.finishes).map(step => fields(step) ?? {})
  // Whether `usage` is of all steps or of the last one differs between versions.
  const whole = fields(body.totalUsage) ?? fields(body.usage)
  if (steps.length === 0) return countsIn({ ...body, usage: whole }, gathered)
  const calls = steps.map(step => gathered.usage(countsIn(step, gathered), contentOf(step)))
  const known = calls.filter(call => call !== undefined)
  const sum = summed(known)
  const total = sdkCounts(whole, [], gathered)
  const isWhole = known.length === calls.length && (sum?.input_tokens ?? 0) >= (total?.input_tokens ?? 0)
  if (sum !== undefined && isWhole) return sum
  if (steps.length === 1 && total !== undefined) return countsIn({ ...body, usage: whole }, gathered)
  if (total === undefined) return sum && { ...sum, is_partial: true }
  const longest_input_tokens = calls.reduce((most, call) => Math.max(most, call?.input_tokens ?? 0), 0)
  return { ...total, calls: calls.length, ...(longest_input_tokens > 0 && { longest_input_tokens }) }
}

const contentOf = (step: Fields) =>
  filled(step.text) || some(step.toolCalls) || some(step.content) ? 'text' : 'nothing'

/** The counts of a call: those of the provider itself, where the SDK keeps them, else the SDK's. */
function countsIn(step: Fields, gathered: Gathered): Counts | undefined {
  const usage = fields(step.usage)
  const kept = metadataOf(step)
  const body = fields(fields(step.response)?.body)
  const own = [usage?.raw, ...[...kept, body ?? {}].flatMap(one => [one.usage, one.usageMetadata])]
    .map(raw => countsOf(fields(raw), gathered))
    .find(counts => counts?.input_tokens !== undefined)
  const counts = own ?? sdkCounts(usage, kept, gathered)
  if (counts === undefined) return undefined
  const inHeaders = billInHeaders(fields(step.response)?.headers)
  const bills = [billIn(body), inHeaders, ...kept.flatMap(one => [billOf(one), billOf(fields(one.usage))])]
  const billed_micro = counts.billed_micro ?? bills.find(bill => bill !== undefined)
  const tiers = [...kept.map(one => one.serviceTier), body?.service_tier].map(tierOf)
  return {
    ...tiers.find(({ service_tier }) => service_tier !== undefined),
    ...counts,
    ...(kept.some(isGrounded) && { searches: 1 }),
    ...(billed_micro !== undefined && { billed_micro }),
  }
}

/** Gemini searched the web. */
const isGrounded = (kept: Fields) => some(fields(kept.groundingMetadata)?.webSearchQueries)

/** What each provider adds to the SDK's own words. */
const metadataOf = (step: Fields): Fields[] =>
  Object.values(fields(step.providerMetadata ?? step.experimental_providerMetadata) ?? {})
    .map(fields)
    .filter(one => one !== undefined)

function sdkCounts(
  usage: Fields | undefined,
  kept: readonly Fields[],
  gathered: Gathered,
): Counts | undefined {
  if (usage === undefined) return undefined
  // Newer providers divide the tokens of each side into parts, one of which is the total.
  const [input, output] = [fields(usage.inputTokens), fields(usage.outputTokens)]
  const details = fields(usage.inputTokenDetails)
  const names = (side: Fields | undefined, ...flat: string[]) => (side === undefined ? flat : ['total'])
  const counted = gathered.known(input ?? usage, ...names(input, 'inputTokens', 'promptTokens'))
  const cached =
    gathered.count(input, 'cacheRead') ||
    gathered.count(details, 'cacheReadTokens') ||
    gathered.count(usage, 'cachedInputTokens') ||
    countIn(kept, gathered, 'cacheReadInputTokens')
  const written = gathered.count(input, 'cacheWrite') || gathered.count(details, 'cacheWriteTokens')
  // Up to version 5 the input is without the cache where a provider says apart what it wrote to it.
  const apart =
    input === undefined && details === undefined && written === 0 ? apartIn(kept, gathered) : undefined
  return {
    ...(counted !== undefined && {
      input_tokens: apart === undefined ? counted : counted + cached + apart,
    }),
    output_tokens: gathered.known(output ?? usage, ...names(output, 'outputTokens', 'completionTokens')),
    total_tokens: apart === undefined ? gathered.count(usage, 'totalTokens') : 0,
    thinking_tokens: gathered.count(usage, 'reasoningTokens'),
    cached_input_tokens: cached,
    cache_write_tokens: written || (apart ?? 0),
    ...researchOf(kept, gathered),
  }
}

const WRITTEN = ['cacheCreationInputTokens', 'cacheWriteInputTokens']

/** The input tokens that a provider wrote to a cache, beside the input; undefined if no provider counts so. */
function apartIn(kept: readonly Fields[], gathered: Gathered): number | undefined {
  const places = kept.flatMap(one => [one, fields(one.usage) ?? {}])
  return places.some(one => WRITTEN.some(name => name in one))
    ? countIn(kept, gathered, ...WRITTEN)
    : undefined
}

const countIn = (kept: readonly Fields[], gathered: Gathered, ...names: string[]) =>
  kept.reduce(
    (sum, one) => sum || gathered.count(one, ...names) || gathered.count(fields(one.usage), ...names),
    0,
  )

/** Perplexity's counts beside the tokens. */
const researchOf = (kept: readonly Fields[], gathered: Gathered): Counts => ({
  citation_tokens: countIn(kept, gathered, 'citationTokens'),
  searches: countIn(kept, gathered, 'numSearchQueries'),
})

/** Who served the model, by the SDK's own provider or by whose metadata it keeps. */
function hostIn(step: Fields): string | undefined {
  const named = hostOfClient(fields(step.model)?.provider)
  const keys = Object.keys(fields(step.providerMetadata) ?? {})
  const body = fields(fields(step.response)?.body)
  return named ?? keys.map(hostOfClient).find(host => host !== undefined) ?? (body && hostOfChat(body))
}

function stepMessage(step: Fields): Fields {
  if (Array.isArray(step.content)) return { role: 'assistant', content: step.content }
  const thoughts = step.reasoningText ?? step.reasoning
  return {
    role: 'assistant',
    content: [
      ...(filled(thoughts) ? [{ type: 'reasoning', text: thoughts }] : []),
      ...(filled(step.text) ? [{ type: 'text', text: step.text }] : []),
      ...list(step.toolCalls).map(call => ({ ...fields(call), type: 'tool-call' })),
      ...list(step.toolResults).map(result => ({ ...fields(result), type: 'tool-result' })),
      ...(step.object == null ? [] : [{ type: 'object', object: step.object }]),
    ],
  }
}

/** Results of embed and embedMany, transcribe, generateImage and rerank. */
export const vercelAiData: Shape = {
  read(body) {
    const gathered = new Gathered()
    const usage = fields(body.usage)
    const model = fields(fields(body.response) ?? list(body.responses)[0])?.modelId
    if (
      (Array.isArray(body.embedding) || Array.isArray(body.embeddings)) &&
      usage !== undefined &&
      'tokens' in usage
    ) {
      return ungraded('vercel_ai', model, { input_tokens: gathered.known(usage, 'tokens') }, gathered)
    }
    if (!Array.isArray(body.responses) && fields(body.response) === undefined) return undefined
    const none = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0 }
    if (typeof body.durationInSeconds === 'number' && Array.isArray(body.segments))
      return ungraded(
        'vercel_ai',
        model,
        { ...none, audio_seconds: gathered.seconds(body.durationInSeconds) },
        gathered,
      )
    if (some(body.images)) {
      const counts = usage && sdkCounts(usage, [], gathered)
      return ungraded('vercel_ai', model, { ...none, ...counts, images: body.images.length }, gathered)
    }
    return Array.isArray(body.ranking) ? ungraded('vercel_ai', model, { ...none, searches: 1 }) : undefined
  },
}
