// Reads answers of Gemini: generateContent of the developer API and of Vertex, and the Interactions API.

import {
  type Fields,
  type Finish,
  fields,
  filled,
  finishOf,
  Gathered,
  list,
  type Shape,
  some,
} from './answer.ts'
import { finishOfStatus, UNFINISHED } from './finish-words.ts'

export const gemini: Shape = {
  read(body) {
    if (!Array.isArray(body.candidates) && body.promptFeedback === undefined) return undefined
    const candidate = fields(list(body.candidates)[0])
    const content = fields(candidate?.content)
    const blocked = filled(fields(body.promptFeedback)?.blockReason)
    const isGemini = Array.isArray(content?.parts) || typeof candidate?.finishReason === 'string'
    if (!isGemini && !blocked) return undefined
    const gathered = new Gathered()
    for (const entry of list(content?.parts)) {
      const part = fields(entry)
      if (typeof part?.text === 'string' && part.thought !== true) gathered.text += part.text
      if (part?.functionCall != null) gathered.has_tool_calls = true
      if (part?.inlineData != null || part?.fileData != null) gathered.has_data = true
    }
    const reason = finishOf(candidate?.finishReason ?? candidate?.finish_reason)
    const finish = reason === 'stop' && gathered.has_tool_calls ? 'tool_calls' : reason
    return gathered.completion(
      'gemini',
      body.modelVersion,
      blocked ? 'content_filter' : finish,
      usageOf(body, candidate, gathered),
    )
  },
  messages(body) {
    if (!some(body.candidates)) return undefined
    const read = body.candidates.map(one => fields(fields(one)?.content))
    return read.every(one => Array.isArray(one?.parts))
      ? read.map(one => ({ role: 'assistant', content: one!.parts }))
      : undefined
  },
  join(pieces) {
    if (!pieces.some(piece => Array.isArray(piece.candidates) || piece.usageMetadata !== undefined))
      return undefined
    const whole: Fields = {}
    const parts: unknown[] = []
    let candidate: Fields = {}
    for (const piece of pieces) {
      const { candidates, ...rest } = piece
      Object.assign(whole, rest)
      const next = fields(list(candidates)[0])
      for (const part of list(fields(next?.content)?.parts)) parts.push(part)
      candidate = { ...candidate, ...next }
    }
    const finishReason = candidate.finishReason ?? UNFINISHED
    return { ...whole, candidates: [{ ...candidate, finishReason, content: { role: 'model', parts } }] }
  },
}

function usageOf(body: Fields, candidate: Fields | undefined, gathered: Gathered) {
  const usage = fields(body.usageMetadata)
  if (usage === undefined) return undefined
  return {
    input_tokens:
      gathered.count(usage, 'promptTokenCount') + gathered.count(usage, 'toolUsePromptTokenCount'),
    output_tokens:
      gathered.count(usage, 'candidatesTokenCount') + gathered.count(usage, 'thoughtsTokenCount'),
    cached_input_tokens: gathered.count(usage, 'cachedContentTokenCount'),
    input_audio_tokens: audioOf(usage.promptTokensDetails, gathered),
    output_audio_tokens: audioOf(usage.candidatesTokensDetails, gathered),
    searches: some(fields(candidate?.groundingMetadata)?.webSearchQueries) ? 1 : 0,
    ...(usage.trafficType === 'ON_DEMAND_FLEX' ? { service_tier: 'flex' } : {}),
  }
}

function audioOf(details: unknown, gathered: Gathered): number {
  const sound = list(details).find(one => fields(one)?.modality === 'AUDIO')
  return gathered.count(fields(sound), 'tokenCount')
}

/** A list of outputs, or of steps, with a status next to it. */
export const geminiInteractions: Shape = {
  read(body) {
    const outputs = outputsOf(body)
    if (outputs === undefined) return undefined
    const gathered = new Gathered()
    for (const one of outputs) gathered.add([one])
    const usage = fields(body.usage)
    return gathered.completion(
      'gemini_interactions',
      body.model ?? body.agent,
      interactionFinish(body, gathered),
      usage && {
        input_tokens:
          gathered.count(usage, 'total_input_tokens') + gathered.count(usage, 'total_tool_use_tokens'),
        output_tokens:
          gathered.count(usage, 'total_output_tokens') +
          gathered.count(usage, 'total_thought_tokens', 'total_reasoning_tokens'),
        cached_input_tokens: gathered.count(usage, 'total_cached_tokens'),
        searches: outputs.filter(one => one.type === 'google_search_call').length,
      },
    )
  },
  messages(body) {
    const outputs = outputsOf(body)
    return outputs && [{ role: 'assistant', content: outputs }]
  },
  join(pieces) {
    const end = fields(pieces.findLast(piece => fields(piece.interaction) !== undefined)?.interaction)
    if (end === undefined || Array.isArray(end.steps)) return end
    const steps: Fields[] = []
    for (const { event_type, step, delta } of pieces) {
      if (event_type === 'step.start') steps.push({ ...fields(step), content: [] })
      if (event_type === 'step.delta') (steps.at(-1)?.content as unknown[] | undefined)?.push(delta)
    }
    return { ...end, object: 'interaction', steps }
  },
}

function outputsOf(body: Fields): Fields[] | undefined {
  // One that did not end has no usage.
  if (typeof body.status !== 'string') return undefined
  if (fields(body.usage) === undefined && body.object !== 'interaction') return undefined
  if (Array.isArray(body.outputs)) {
    const outputs = body.outputs.map(one => fields(one) ?? {})
    return body.object === 'interaction' || outputs.some(isKnown) ? outputs : undefined
  }
  if (!Array.isArray(body.steps) || body.object !== 'interaction') return undefined
  return body.steps.flatMap(step => {
    const one = fields(step)
    if (one?.type === 'model_output' || one?.type === 'model_turn')
      return list(one.content).map(part => fields(part) ?? {})
    return one === undefined ? [] : [one]
  })
}

/** Whether an output is Gemini's: a customer's own list of outputs has pages or rows. */
const isKnown = ({ type, text }: Fields) =>
  type === 'text'
    ? typeof text === 'string'
    : typeof type === 'string' && /^(?:thought|image|audio)$|_(?:call|result)$/.test(type)

function interactionFinish(body: Fields, gathered: Gathered): Finish {
  const finish = finishOfStatus('gemini_interactions', body.status)
  return finish === 'stop' && gathered.has_tool_calls ? 'tool_calls' : finish
}
