// The Vercel AI SDK: results of generateText and generateObject, what its providers hand it (doGenerate), embeddings,
// transcripts and images. A result keeps its text in getters of its class; sent as JSON, only its list of steps is left.

import {
  type Fields,
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

export const vercelAi: Shape = {
  read(body) {
    const steps = list(body.steps)
    const last = reasonOf(body) === undefined ? fields(steps[steps.length - 1]) : body
    const usage = fields(body.totalUsage) ?? fields(last?.usage)
    const reason = last && reasonOf(last)
    if (last === undefined || reason === undefined || usage === undefined) return undefined
    const gathered = new Gathered()
    if (typeof last.text === 'string') gathered.text = last.text
    else gathered.add(last.content)
    gathered.has_tool_calls ||= some(last.toolCalls)
    gathered.has_data ||= last.object != null || some(last.files)
    const { modelId } = fields(last.response) ?? {}
    return gathered.completion('vercel_ai', modelId, finishOf(reason), usageOf(usage, gathered))
  },
  messages(body) {
    const steps = list(body.steps).map(fields)
    const last = steps.at(-1)
    if (reasonOf(body) === undefined && (last === undefined || reasonOf(last) === undefined)) return undefined
    return (steps.length > 0 ? steps : [body]).map(step => stepMessage(step ?? {}))
  },
  join(pieces) {
    const end = pieces.findLast(piece => piece.type === 'finish')
    if (end === undefined) return undefined
    const said = pieces.filter(piece => piece.type === 'text-delta')
    const text = said.map(({ delta, text, textDelta }) => textOf(delta ?? text ?? textDelta)).join('')
    const toolCalls = pieces.filter(piece => piece.type === 'tool-call')
    const told = pieces.findLast(piece => piece.type === 'response-metadata')
    const response = fields(end.response) ?? { modelId: told?.modelId }
    return { text, toolCalls, response, finishReason: end.finishReason, usage: end.totalUsage ?? end.usage }
  },
}

/** A word; the newer providers' is the word and what it was made of. */
function reasonOf({ finishReason }: Fields): string | undefined {
  const reason = fields(finishReason)?.unified ?? finishReason
  return typeof reason === 'string' ? reason : undefined
}

function usageOf(usage: Fields, gathered: Gathered) {
  // The newer providers divide each side; the total is among its parts.
  const [input, output] = [fields(usage.inputTokens), fields(usage.outputTokens)]
  const details = fields(usage.inputTokenDetails)
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

/** Of embed and embedMany, transcribe, generateImage and rerank. */
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
      return ungraded('vercel_ai', model, { ...none, audio_seconds: Math.max(0, body.durationInSeconds) })
    if (some(body.images)) return ungraded('vercel_ai', model, { ...none, images: body.images.length })
    return Array.isArray(body.ranking) ? ungraded('vercel_ai', model, { ...none, searches: 1 }) : undefined
  },
}
