// Reads chat and completion responses of LlamaIndex, for Python and for TypeScript. A finish or tokens that they lack
// come from the provider's own answer, which LlamaIndex keeps as `raw`.

import { type Fields, fields, Gathered, list, type Shape, some } from './answer.ts'
import { countsOf } from './raw-usage.ts'

export const llamaindex: Shape = {
  read(body, inner) {
    const message = messageOf(body)
    if (message === undefined) return undefined
    const gathered = new Gathered().add(contentOf(message))
    const kept = inner(body.raw)
    const extra = fields(message.additional_kwargs) ?? fields(message.options)
    gathered.calls(extra?.tool_calls).calls(extra?.toolCall)
    gathered.has_tool_calls ||= kept?.has_tool_calls ?? false
    gathered.has_cut_call ||= kept?.has_cut_call ?? false
    gathered.has_data ||= kept?.has_data ?? false
    gathered.refusal = kept?.refusal
    gathered.fault = kept?.fault
    const counted = fields(body.additional_kwargs)
    const usage = kept?.usage ?? countsOf(counted, gathered)
    gathered.host = kept?.host
    return gathered.completion('llamaindex', kept?.model, kept?.finish ?? 'other', usage)
  },
  messages(body) {
    const message = messageOf(body)
    return message && [{ role: 'assistant', content: contentOf(message) }]
  },
}

/** A chat response has a message, a completion a text; both keep the provider's answer. */
function messageOf(body: Fields): Fields | undefined {
  if (!('raw' in body)) return undefined
  const message = fields(body.message)
  if (message?.role === 'assistant') return message
  return typeof body.text === 'string' && 'delta' in body ? { content: body.text } : undefined
}

function contentOf(message: Fields): unknown {
  if (message.content != null && !some(message.blocks)) return message.content
  return list(message.blocks).map(block => {
    const one = fields(block)
    return one?.block_type === undefined ? block : { ...one, type: one.block_type }
  })
}
