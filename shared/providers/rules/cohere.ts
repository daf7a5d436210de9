// Reads chat answers of Cohere's second API, in its own words or in those of its client, which bills fewer tokens than it counts.

import { type Fields, fields, finishOf, Gathered, list, type Shape, textOf } from './answer.ts'
import { UNFINISHED } from './finish-words.ts'

export const cohere: Shape = {
  read(body) {
    if (!isCohere(body)) return undefined
    const message = fields(body.message)
    const gathered = new Gathered().add(message?.content)
    gathered.calls(message?.tool_calls ?? message?.toolCalls)
    const usage = fields(body.usage)
    const billed = fields(usage?.billed_units ?? usage?.billedUnits)
    const isBilled = (billed?.input_tokens ?? billed?.inputTokens) != null
    const tokens = isBilled ? billed : fields(usage?.tokens)
    return gathered.completion(
      'cohere',
      body.model,
      finishOf(body.finish_reason ?? body.finishReason),
      usage && {
        input_tokens: gathered.known(tokens, 'input_tokens', 'inputTokens'),
        output_tokens: gathered.known(tokens, 'output_tokens', 'outputTokens'),
        // Tokens read from a cache are included in the tokens that are counted, but not in those that are billed.
        cached_input_tokens: isBilled ? 0 : gathered.count(usage, 'cached_tokens', 'cachedTokens'),
        searches: gathered.count(billed, 'search_units', 'searchUnits'),
      },
    )
  },
  messages: body => (isCohere(body) ? [fields(body.message)!] : undefined),
  join(pieces) {
    const isStarted = pieces.some(({ type }) => type === 'message-start' || type === 'content-delta')
    const end = fields(pieces.find(piece => piece.type === 'message-end')?.delta)
    if (end === undefined && !isStarted) return undefined
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
  const reason = body.finish_reason ?? body.finishReason
  if (message?.role !== 'assistant' || typeof reason !== 'string') return false
  const usage = fields(body.usage)
  return (
    usage === undefined ||
    (usage.billed_units ?? usage.billedUnits) !== undefined ||
    usage.tokens !== undefined ||
    list(body.choices).length === 0
  )
}
