// Reads answers of Gemini: generateContent of the developer API and of Vertex, and the Interactions API.

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
} from './answer.ts'
import { finishOfStatus, UNFINISHED } from './finish-words.ts'
import { geminiCounts, ofModality } from './raw-usage.ts'

export const gemini: Shape = {
  read(body) {
    if (!Array.isArray(body.candidates) && (body.promptFeedback ?? body.prompt_feedback) == null)
      return undefined
    const candidate = fields(list(body.candidates)[0])
    const content = fields(candidate?.content)
    const feedback = fields(body.promptFeedback ?? body.prompt_feedback)
    const blocked = filled(feedback?.blockReason ?? feedback?.block_reason)
    const said = candidate?.finishReason ?? candidate?.finish_reason
    const isGemini = Array.isArray(content?.parts) || typeof said === 'string'
    if (!isGemini && !blocked) return undefined
    const gathered = new Gathered()
    for (const entry of list(content?.parts)) {
      const part = fields(entry)
      if (typeof part?.text === 'string' && part.thought !== true) gathered.text += part.text
      if ((part?.functionCall ?? part?.function_call) != null) gathered.has_tool_calls = true
      const data = part?.inlineData ?? part?.inline_data ?? part?.fileData ?? part?.file_data
      if (data != null) gathered.has_data = true
    }
    const reason = finishOf(said)
    const finish = reason === 'stop' && gathered.has_tool_calls ? 'tool_calls' : reason
    return gathered.completion(
      'gemini',
      body.modelVersion ?? body.model_version,
      blocked ? 'content_filter' : finish,
      countsIn(body, candidate, gathered),
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

function countsIn(body: Fields, candidate: Fields | undefined, gathered: Gathered): Counts | undefined {
  const usage = fields(body.usageMetadata ?? body.usage_metadata)
  if (usage === undefined) return undefined
  const grounding = fields(candidate?.groundingMetadata ?? candidate?.grounding_metadata)
  return {
    ...geminiCounts(usage, gathered),
    searches: some(grounding?.webSearchQueries ?? grounding?.web_search_queries) ? 1 : 0,
    // The pieces of a stream count what was said so far.
    ...(candidate?.finishReason === UNFINISHED && { is_partial: true }),
  }
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
        ...interactionCounts(usage, gathered),
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

function interactionCounts(usage: Fields, gathered: Gathered): Counts {
  const input = gathered.known(usage, 'total_input_tokens')
  const output = gathered.known(usage, 'total_output_tokens')
  const thought = gathered.count(usage, 'total_thought_tokens', 'total_reasoning_tokens')
  const [read, said] = [usage.input_tokens_by_modality, usage.output_tokens_by_modality]
  return {
    ...(input !== undefined && { input_tokens: input + gathered.count(usage, 'total_tool_use_tokens') }),
    ...(output !== undefined && { output_tokens: output + thought }),
    total_tokens: gathered.count(usage, 'total_tokens'),
    cached_input_tokens: gathered.count(usage, 'total_cached_tokens'),
    input_audio_tokens: ofModality(read, 'AUDIO', gathered),
    output_audio_tokens: ofModality(said, 'AUDIO', gathered),
    output_image_tokens: ofModality(said, 'IMAGE', gathered),
  }
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
