// The two wire formats the demo model speaks: OpenAI's chat completions and Anthropic's messages.

import { type Fate, hashOf } from './fate.ts'
import { type JsonSchema, type Prompt, tokensOf } from './model.ts'

type Content = string | { type?: string; text?: string }[] | null | undefined

export interface ChatRequest {
  model?: string
  system?: Content
  messages?: { role: string; content: Content }[]
  stream?: boolean
  response_format?: { type: string; json_schema?: { schema?: JsonSchema } }
}

/** An answer before it is put into a provider's format. */
export interface Answer {
  model: string
  text: string
  fate: Fate
  input_tokens: number
  id: string
}

const REFUSAL = "I'm sorry, but I can't help with that request."

export function promptOf(request: ChatRequest): Prompt {
  const messages = request.messages ?? []
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer')
  const user = messages.findLast(({ role }) => role === 'user')
  const format = request.response_format
  return {
    system: [textOf(request.system), ...system.map(({ content }) => textOf(content))].join('\n'),
    text: textOf(user?.content),
    json:
      format?.type === 'json_schema' ? (format.json_schema?.schema ?? true) : format?.type === 'json_object',
  }
}

export function answerOf(request: ChatRequest, text: string, fate: Fate): Answer {
  const said = request.messages?.map(({ content }) => textOf(content)).join('\n') ?? ''
  return {
    model: request.model ?? 'assay-demo-small',
    text: fate === 'empty' ? '' : fate === 'truncated' ? text.slice(0, text.length / 2) : text,
    fate,
    input_tokens: tokensOf(textOf(request.system)) + tokensOf(said) + 8,
    id: hashOf(said).toString(36),
  }
}

export function openaiCompletion({ model, text, fate, input_tokens, id }: Answer, json: boolean): object {
  const refused = fate === 'refusal'
  // The refusal of a JSON answer has its own field; the refusal of a text is the text.
  const content = refused ? (json ? null : REFUSAL) : text
  const output_tokens = tokensOf(refused ? REFUSAL : text)
  return {
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: 1_760_000_000,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: refused && json ? REFUSAL : null },
        logprobs: null,
        finish_reason: fate === 'truncated' ? 'length' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: input_tokens,
      completion_tokens: output_tokens,
      total_tokens: input_tokens + output_tokens,
    },
  }
}

const STOP_REASONS: Partial<Record<Fate, string>> = { refusal: 'refusal', truncated: 'max_tokens' }

export function anthropicMessage({ model, text, fate, input_tokens, id }: Answer): object {
  const said = fate === 'refusal' ? REFUSAL : text
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: said === '' ? [] : [{ type: 'text', text: said }],
    stop_reason: STOP_REASONS[fate] ?? 'end_turn',
    stop_sequence: null,
    usage: { input_tokens, output_tokens: tokensOf(said) },
  }
}

function textOf(content: Content): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(part => part.text ?? '').join('\n')
}
