// Reads answers of the Vercel AI SDK: results of generateText and generateObject, what its providers return to it
// (doGenerate), embeddings, transcripts, images and rankings. A result keeps its text in getters of its class, so its
// JSON has only the list of steps.

import {
  type CompletionUsage,
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
import { UNFINISHED, worse } from './finish-words.ts'

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
    const ended = { finishReason, rawFinishReason, usage: totalUsage ?? usage }
    return { text, toolCalls, response, ...ended, ...(isBroken && { finishReason: UNFINISHED }) }
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

/** The usage of all steps, each of which is a call with its own prompt. */
function totalOf(body: Fields, gathered: Gathered): CompletionUsage {
  const calls = list(body.steps).map(step => usageOf(fields(fields(step)?.usage), gathered))
  const sum = calls.reduce(added, NOTHING)
  // Whether `usage` is of all steps or of the last one differs between versions.
  const reported = fields(body.totalUsage) ?? (sum.input_tokens > 0 ? undefined : fields(body.usage))
  const total = reported === undefined ? sum : usageOf(reported, gathered)
  if (calls.length < 2) return total
  const longest_input_tokens = calls.reduce((most, call) => Math.max(most, call.input_tokens), 0)
  return { ...total, calls: calls.length, longest_input_tokens }
}

const NOTHING: Counts = {
  input_tokens: 0,
  output_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
}
type Counts = ReturnType<typeof usageOf>

const added = (a: Counts, b: Counts): Counts => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
  cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
})

function usageOf(usage: Fields | undefined, gathered: Gathered) {
  // Newer providers divide the tokens of each side into parts, one of which is the total.
  const [input, output] = [fields(usage?.inputTokens), fields(usage?.outputTokens)]
  const details = fields(usage?.inputTokenDetails)
  return {
    input_tokens: gathered.count(input ?? usage, ...(input ? ['total'] : ['inputTokens', 'promptTokens'])),
    output_tokens: gathered.count(
      output ?? usage,
      ...(output ? ['total'] : ['outputTokens', 'completionTokens']),
    ),
    cached_input_tokens:
      gathered.count(input, 'cacheRead') ||
      gathered.count(usage, 'cachedInputTokens') ||
      gathered.count(details, 'cacheReadTokens'),
    cache_write_tokens: gathered.count(input, 'cacheWrite') || gathered.count(details, 'cacheWriteTokens'),
  }
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
      const input_tokens = gathered.count(usage, 'tokens')
      return ungraded(
        'vercel_ai',
        model,
        { input_tokens, output_tokens: 0, cached_input_tokens: 0 },
        gathered,
      )
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
    if (some(body.images)) return ungraded('vercel_ai', model, { ...none, images: body.images.length })
    return Array.isArray(body.ranking) ? ungraded('vercel_ai', model, { ...none, searches: 1 }) : undefined
  },
}
