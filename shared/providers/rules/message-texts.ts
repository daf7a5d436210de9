// Finds what people, models and tools wrote in the payloads of a step: messages of prompts and answers, arguments and
// results of tools. Guarantee: no parameter of a request, schema, definition of a tool, name or id is among it, where
// the payload has a known shape; pure, and a payload that is cut is read as far as it goes.

import { parseCutJson } from '../../json/cut-json.ts'
import { type Fields, fields, list } from './answer.ts'
import { wholeOf } from './completion.ts'
import { type Message, type Part, readAnswer, readPrompt } from './conversation.ts'

export interface Payloads {
  kind: string
  input: string | null
  output: string | null
}

export interface MessageTexts {
  input: string[]
  output: string[]
}

/** The texts of the step's messages, decoded, in their order. */
export function messageTexts({ kind, input, output }: Payloads): MessageTexts {
  const isCall = kind === 'llm_call'
  return {
    input: textsOf(input, value => promptTexts(value, isCall)),
    output: textsOf(output, value => answerTexts(value, isCall)),
  }
}

function textsOf(json: string | null, read: (value: unknown) => string[]): string[] {
  const value = json === null ? undefined : parseCutJson(json)
  return value === undefined ? [] : read(value).filter(text => text.trim() !== '')
}

function promptTexts(input: unknown, isCall: boolean): string[] {
  const inner = typeof input === 'string' ? jsonWithin(input) : undefined
  if (fields(inner) !== undefined) return promptTexts(inner, isCall)
  const isRequest = isCall || Array.isArray(input) || isRequestBody(fields(input))
  const messages = isRequest ? readPrompt(input) : undefined
  if (messages !== undefined) return messages.flatMap(textsOfMessage)
  return isRequest ? requestTexts(input) : leaves(input)
}

/** Arguments of a tool may be named as a prompt is, so only messages or a model make them a request to a model. */
const isRequestBody = (body: Fields | undefined) =>
  Array.isArray(body?.messages) || Array.isArray(body?.contents) || typeof body?.model === 'string'

function answerTexts(output: unknown, isCall: boolean): string[] {
  if (typeof output === 'string') return textsWithin(output)
  const messages = readAnswer(output)
  if (messages !== undefined) return messages.flatMap(textsOfMessage)
  return isCall ? requestTexts(wholeOf(output)) : leaves(output)
}

const textsOfMessage = ({ parts }: Message) => parts.flatMap(textsOfPart)

function textsOfPart(part: Part): string[] {
  switch (part.kind) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return textsWithin(part.text)
    case 'call':
      return textsWithin(part.input)
    case 'result':
      return textsWithin(part.output)
    case 'json':
      return leaves(part.value, isNoise)
    case 'media':
      return []
  }
}

/** Answers and arguments are often JSON in a text: its values are what was written, its names are those of a schema. */
function textsWithin(value: unknown): string[] {
  if (typeof value !== 'string') return leaves(value)
  const inner = jsonWithin(value)
  return inner === undefined ? [value] : leaves(inner)
}

const jsonWithin = (text: string) => (/^\s*[{[]/.test(text) ? parseCutJson(text) : undefined)

/** Where requests and answers of other shapes have their texts. */
const TEXTS = [
  'system',
  'system_instruction',
  'systemInstruction',
  'instructions',
  'preamble',
  'chat_history',
  'message',
  'messages',
  'contents',
  'content',
  'prompt',
  'input',
  'inputs',
  'texts',
  'text',
  'query',
  'question',
  'documents',
  'choices',
  'candidates',
  'generations',
  'output',
  'answer',
  'ranking',
]

function requestTexts(value: unknown): string[] {
  const body = fields(value)
  const named = body === undefined ? [] : TEXTS.filter(name => name in body && !isSchema(body[name]))
  if (body === undefined || named.length === 0) return leaves(value, isNoise)
  return named.flatMap(name => leaves(body[name], isNoise))
}

/** Names whose values describe a request, an answer or a part of it. */
const NOISE =
  /^(?:model|modelId|model_id|modelVersion|type|role|name|object|id|.*_id|.*Id|block_type|lc|status|tools?|toolConfig|tool_config|tool_choice|toolChoice|functions|function_call|format|response_format|responseFormat|schema|json_schema|.*[sS]chema|config|generationConfig|generation_config|output_config|outputConfig|options|metadata|.*_metadata|.*Metadata|usage|stop|stop_sequences|stopSequences|.*_reason|.*Reason|user|logprobs|system_fingerprint|service_tier|created.*|provider.*|signature|thoughtSignature|prediction|b64_json|base64Data|mime_type|mimeType|media_type|mediaType|url|raw|cache_control|additional_kwargs|text_format|safety.*|embedding.*|predictions)$/

/** `data` is the bytes of a file, or the members of a message of LangChain. */
const isNoise = (name: string, value: unknown) =>
  NOISE.test(name) || isSchema(value) || (name === 'data' && typeof value === 'string')

/** Whether it is a JSON Schema of an object or of one of several values. */
function isSchema(value: unknown): boolean {
  const one = fields(value)
  return (
    one !== undefined && (fields(one.properties) !== undefined || (Array.isArray(one.enum) && 'type' in one))
  )
}

const DEPTH = 64

/** The texts in a value, without the names they stand under; and its numbers, where nothing is left out. */
function leaves(value: unknown, isLeftOut?: (name: string, value: unknown) => boolean, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return isLeftOut ? [] : [String(value)]
  if (depth === DEPTH) return []
  if (Array.isArray(value)) return list(value).flatMap(one => leaves(one, isLeftOut, depth + 1))
  return Object.entries(fields(value) ?? {}).flatMap(([name, one]) =>
    isLeftOut?.(name, one) ? [] : leaves(one, isLeftOut, depth + 1),
  )
}
