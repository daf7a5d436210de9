// Reads answers of Ollama: chat and generate, whole or as a stream of lines, of which the last is done.

import { OWN_HOST } from '../../prices/rules/own-models.ts'
import { type Fields, type Finish, fields, finishOf, Gathered, list, type Shape } from './answer.ts'

export const ollama: Shape = {
  read(body) {
    if (!isOllama(body)) return undefined
    const message = fields(body.message)
    const gathered = new Gathered().add(message === undefined ? body.response : message.content)
    gathered.calls(message?.tool_calls)
    gathered.host = OWN_HOST
    const finish: Finish = body.done === false ? 'interrupted' : finishOf(body.done_reason)
    return gathered.completion(
      'ollama',
      body.model,
      finish === 'stop' && gathered.has_tool_calls ? 'tool_calls' : finish,
      // One whose whole prompt was cached has no count of its prompt.
      {
        input_tokens: gathered.known(body, 'prompt_eval_count'),
        output_tokens: gathered.known(body, 'eval_count'),
      },
    )
  },
  messages(body) {
    if (!isOllama(body)) return undefined
    const { role = 'assistant', thinking, content = body.response, ...rest } = fields(body.message) ?? {}
    const parts = [
      ...(thinking ? [{ type: 'reasoning', text: thinking }] : []),
      { type: 'text', text: content },
    ]
    return [{ role, ...rest, content: parts }]
  },
  join(pieces) {
    const last = pieces.findLast(isOllama)
    // A line with an error may come after the others; anything else is not Ollama's.
    if (last === undefined || (last !== pieces.at(-1) && pieces.at(-1)?.error == null)) return undefined
    const gathered = new Gathered()
    const calls: unknown[] = []
    for (const { message, response } of pieces) {
      const said = fields(message)
      gathered.add(said === undefined ? response : said.content)
      for (const call of list(said?.tool_calls)) calls.push(call)
    }
    const { text } = gathered
    return last.message === undefined
      ? { ...last, response: text }
      : { ...last, message: { role: 'assistant', content: text, tool_calls: calls } }
  },
}

function isOllama(body: Fields): boolean {
  if (typeof body.done !== 'boolean' || typeof body.created_at !== 'string') return false
  const message = fields(body.message)
  // A customer's own job may be done and have a message too.
  if (message !== undefined) return 'role' in message || 'content' in message
  return typeof body.response === 'string' && typeof body.model === 'string'
}
