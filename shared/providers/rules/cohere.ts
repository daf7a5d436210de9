// Reads chat answers of Cohere's second API, which bills fewer tokens than it counts.

import { type Fields, fields, finishOf, Gathered, list, type Shape, textOf } from './answer.ts'
import { UNFINISHED } from './finish-words.ts'

export const cohere: Shape = {
  read(body) {
    if (!isCohere(body)) return undefined
    const message = fields(body.message)
    const gathered = new Gathered().add(message?.content)
    gathered.calls(message?.tool_calls)
    const usage = fields(body.usage)
    const billed = fields(usage?.billed_units)
    const tokens = billed?.input_tokens == null ? fields(usage?.tokens) : billed
    return gathered.completion(
      'cohere',
      body.model,
      finishOf(body.finish_reason),
      usage && {
        input_tokens: gathered.count(tokens, 'input_tokens'),
        output_tokens: gathered.count(tokens, 'output_tokens'),
        // Tokens read from a cache are included in the tokens that are counted, but not in those that are billed.
        cached_input_tokens: tokens === billed ? 0 : gathered.count(usage, 'cached_tokens'),
        searches: gathered.count(billed, 'search_units'),
      },
    )
  },
  messages: body => (isCohere(body) ? [fields(body.message)!] : undefined),
  join(pieces) {
    const isBegun = pieces.some(({ type }) => type === 'message-start' || type === 'content-delta')
    const end = fields(pieces.find(piece => piece.type === 'message-end')?.delta)
    if (end === undefined && !isBegun) return undefined
    let text = ''
    const tool_calls: Fields[] = []
    for (const { type, delta } of pieces) {
      const message = fields(fields(delta)?.message)
      if (type === 'content-delta') text += textOf(fields(message?.content)?.text)
      const call = fields(message?.tool_calls)
      if (type === 'tool-call-start') tool_calls.push({ ...call, function: { ...fields(call?.function) } })
      const started = fields(tool_calls.at(-1)?.function)
      if (type === 'tool-call-delta' && started !== undefined)
        started.arguments = `${textOf(started.arguments)}${textOf(fields(call?.function)?.arguments)}`
    }
    const { finish_reason = UNFINISHED, usage } = end ?? {}
    return { message: { role: 'assistant', content: text, tool_calls }, finish_reason, usage }
  },
}

/** Distinguished from OpenAI's by a message that is not in a list of choices. */
function isCohere(body: Fields): boolean {
  const message = fields(body.message)
  if (message?.role !== 'assistant' || typeof body.finish_reason !== 'string') return false
  const usage = fields(body.usage)
  return (
    usage === undefined ||
    usage.billed_units !== undefined ||
    usage.tokens !== undefined ||
    list(body.choices).length === 0
  )
}
