// Reads messages of Anthropic, also as Bedrock's InvokeModel and Vertex pass them on.

import { type Counts, type Fields, fields, filled, finishOf, Gathered, type Shape, textOf } from './answer.ts'
import { UNFINISHED } from './finish-words.ts'
import { anthropicCounts } from './raw-usage.ts'

export const anthropic: Shape = {
  read(body) {
    if (!isMessage(body) || !Array.isArray(body.content)) return undefined
    const gathered = new Gathered().add(body.content)
    return gathered.completion('anthropic', body.model, finishOf(body.stop_reason), countsIn(body, gathered))
  },
  messages: body => (isMessage(body) ? [{ role: 'assistant', content: body.content }] : undefined),
  join(pieces) {
    const start = fields(pieces.find(piece => piece.type === 'message_start')?.message)
    if (start === undefined) return undefined
    const whole: Fields = { ...start }
    const blocks: Fields[] = []
    for (const piece of pieces) {
      const delta = fields(piece.delta)
      // A proxy that asks again begins anew within the stream.
      if (piece.type === 'message_start') blocks.length = 0
      if (piece.type === 'content_block_start') blocks.push({ ...fields(piece.content_block) })
      if (piece.type === 'content_block_delta' && filled(delta?.text)) {
        const last = blocks.at(-1)
        if (last) last.text = `${textOf(last.text)}${delta.text}`
      }
      if (piece.type === 'content_block_delta' && filled(delta?.partial_json)) {
        const last = blocks.at(-1)
        if (last) last.input = `${textOf(last.input)}${delta.partial_json}`
      }
      if (piece.type !== 'message_delta') continue
      Object.assign(whole, delta)
      whole.usage = { ...fields(whole.usage), ...fields(piece.usage) }
    }
    return { ...whole, content: blocks, stop_reason: whole.stop_reason ?? UNFINISHED }
  },
}

const isMessage = (body: Fields) => body.type === 'message' && body.role === 'assistant'

function countsIn(body: Fields, gathered: Gathered): Counts | undefined {
  const usage = fields(body.usage)
  if (usage === undefined) return undefined
  // The beginning of a stream counts the output that it has so far.
  return { ...anthropicCounts(usage, gathered), ...(body.stop_reason === UNFINISHED && { is_partial: true }) }
}
