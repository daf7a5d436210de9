// Reads answers of Amazon Bedrock's Converse, whose usage counts cached tokens in addition to the others.

import { type Fields, fields, filled, finishOf, Gathered, list, type Shape, textOf } from './answer.ts'
import { UNFINISHED } from './finish-words.ts'
import { converseCounts, tierOf } from './raw-usage.ts'

export const bedrockConverse: Shape = {
  read(body) {
    const message = fields(fields(body.output)?.message)
    if (message === undefined || typeof body.stopReason !== 'string') return undefined
    const gathered = new Gathered()
    for (const block of list(message.content)) {
      const { text, toolUse, image, video, document } = fields(block) ?? {}
      if (typeof text === 'string') gathered.text += text
      if (toolUse != null) gathered.call(toolUse)
      if (image != null || video != null || document != null) gathered.has_data = true
    }
    const usage = fields(body.usage)
    gathered.host = 'aws'
    const model = fields(fields(body.trace)?.promptRouter)?.invokedModelId ?? body.modelId
    return gathered.completion(
      'bedrock_converse',
      model,
      finishOf(body.stopReason),
      usage && {
        ...converseCounts(usage, gathered),
        ...tierOf(fields(body.serviceTier)?.type),
        // Its latency is what its price depends on.
        ...(fields(body.performanceConfig)?.latency === 'optimized' && { speed: 'optimized' }),
      },
    )
  },
  messages(body) {
    const message = fields(fields(body.output)?.message)
    if (message === undefined || typeof body.stopReason !== 'string') return undefined
    return [{ role: 'assistant', content: list(message.content).map(blockOf) }]
  },
  join(pieces) {
    if (!pieces.some(piece => piece.messageStart !== undefined || piece.contentBlockDelta !== undefined))
      return undefined
    const content: Fields[] = []
    const whole: Fields = { output: { message: { role: 'assistant', content } }, stopReason: UNFINISHED }
    let use: Fields | undefined
    for (const piece of pieces) {
      const started = fields(fields(piece.contentBlockStart)?.start)
      if (started?.toolUse !== undefined) {
        use = { ...fields(started.toolUse) }
        content.push({ toolUse: use })
      }
      const delta = fields(fields(piece.contentBlockDelta)?.delta)
      const input = fields(delta?.toolUse)?.input
      if (use !== undefined && filled(input)) use.input = `${textOf(use.input)}${input}`
      if (filled(delta?.text)) content.push({ text: delta.text })
      if (piece.messageStop !== undefined) whole.stopReason = fields(piece.messageStop)?.stopReason
      if (piece.metadata !== undefined) Object.assign(whole, fields(piece.metadata))
    }
    return whole
  },
}

/** A block in the form that other providers use. */
function blockOf(block: unknown): unknown {
  const { text, toolUse, reasoningContent } = fields(block) ?? {}
  if (typeof text === 'string') return { type: 'text', text }
  const thought = fields(fields(reasoningContent)?.reasoningText)?.text
  if (typeof thought === 'string') return { type: 'reasoning', text: thought }
  const use = fields(toolUse)
  return use === undefined ? block : { type: 'tool_use', id: use.toolUseId, name: use.name, input: use.input }
}
