// Good answers in the shapes of the providers' interfaces, whole or as a stream of events.

import type { Call } from './calls.ts'
import { COSTS } from './cost.ts'
import { DEFAULTS } from './settings.ts'

/** Tokens of its input, however its output is counted. */
const inputOf = ({ use }: Call) => use(COSTS.openai).input_tokens

export function goodAnswer(call: Call, content: string, output = DEFAULTS.output_tokens): unknown {
  const { interface: which, model } = call
  const input = inputOf(call)
  switch (which) {
    case 'chat':
      return {
        id: 'chatcmpl-double',
        object: 'chat.completion',
        created: 1_780_000_000,
        model,
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content, refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage: {
          prompt_tokens: input,
          completion_tokens: output,
          total_tokens: input + output,
        },
      }
    case 'messages':
      return {
        ...message(model, input, output),
        content: [{ type: 'text', text: content }],
        stop_reason: 'end_turn',
      }
    case 'generate':
      return { ...generated(content, output, 'STOP'), modelVersion: model }
    case 'converse':
      return {
        output: { message: { role: 'assistant', content: [{ text: content }] } },
        stopReason: 'end_turn',
        usage: { inputTokens: input, outputTokens: output, totalTokens: input + output },
      }
    case 'invoke':
      return { content: [{ type: 'text', text: content }], stop_reason: 'end_turn' }
  }
}

const message = (model: string, input_tokens: number, output_tokens: number) => ({
  id: 'msg_double',
  type: 'message',
  role: 'assistant',
  model,
  content: [] as unknown[],
  stop_reason: null as string | null,
  stop_sequence: null,
  usage: { input_tokens, output_tokens },
})

const generated = (text: string, output: number, finishReason: string | null) => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text }] },
      ...(finishReason === null ? null : { finishReason }),
      index: 0,
    },
  ],
  usageMetadata: { candidatesTokenCount: output },
})

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const event = (type: string, rest: object = {}) => `event: ${type}\n${data({ type, ...rest })}`

/** The events of a stream, each as it is sent; a stream that ends half way has the first half of them. */
export function goodEvents(call: Call, content: string, output = DEFAULTS.output_tokens): string[] {
  const half = Math.ceil(content.length / 2)
  const parts = [content.slice(0, half), content.slice(half)]
  if (call.interface === 'messages') return messageEvents(call, parts, output)
  if (call.interface === 'generate')
    return parts.map((text, at) => data(generated(text, output, at === parts.length - 1 ? 'STOP' : null)))
  const chunk = (delta: object, finish_reason: string | null = null) =>
    data({
      id: 'chatcmpl-double',
      object: 'chat.completion.chunk',
      created: 1_780_000_000,
      model: call.model,
      choices: [{ index: 0, delta, finish_reason }],
    })
  return [
    chunk({ role: 'assistant', content: '' }),
    ...parts.map(text => chunk({ content: text })),
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
  ]
}

function messageEvents(call: Call, parts: string[], output_tokens: number): string[] {
  return [
    event('message_start', { message: message(call.model, inputOf(call), output_tokens) }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...parts.map(text => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens } }),
    event('message_stop'),
  ]
}

/** An error inside a stream: an event of its own name for Anthropic, a chunk with an error for the others. */
export function errorEvent({ interface: which }: Call, body: unknown): string {
  if (which === 'messages') return `event: error\n${data(body)}`
  const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error' }]
  return data(which === 'chat' ? { ...(body as object), object: 'chat.completion.chunk', choices } : body)
}
