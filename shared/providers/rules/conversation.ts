// Reads prompts, in the shapes of OpenAI (chat, responses), Anthropic, Gemini and the Vercel AI SDK, and answers, in
// any known shape, as messages. Guarantee: anything else is undefined; a part of unknown shape is passed on as it is;
// every link begins with http.

import { wholeOf } from './completion.ts'
import { SHAPES } from './shapes.ts'

export type Part =
  | { kind: 'text' | 'thinking' | 'refusal'; text: string }
  | { kind: 'call'; name: string; id?: string; input: unknown }
  | { kind: 'result'; name?: string; id?: string; output: unknown; failed: boolean }
  /** An image, a sound or a document: its URL, or how much of it is in the prompt. */
  | { kind: 'media'; words: string; url?: string }
  | { kind: 'json'; value: unknown }

export interface Message {
  role: string
  parts: Part[]
}

type Fields = Record<string, unknown>

/** Reads a prompt. @example readPrompt('Hello') // [{ role: 'user', parts: [{ kind: 'text', text: 'Hello' }] }] */
export function readPrompt(input: unknown): Message[] | undefined {
  if (typeof input === 'string') return [said('user', input)]
  if (Array.isArray(input)) return input.length > 0 && input.every(isMessage) ? messagesOf(input) : undefined
  const body = fields(input)
  if (body === undefined) return undefined
  const turns = [body.messages, body.contents, body.input, body.prompt].find(
    one => typeof one === 'string' || (Array.isArray(one) && one.length > 0 && one.every(fields)),
  )
  if (turns === undefined) return undefined
  const rules =
    body.system ??
    body.instructions ??
    body.systemInstruction ??
    body.system_instruction ??
    fields(body.config)?.systemInstruction
  const system =
    rules === undefined || rules === null ? [] : [message('system', fields(rules)?.parts ?? rules)]
  return [...system, ...(typeof turns === 'string' ? [said('user', turns)] : messagesOf(turns as unknown[]))]
}

/** Reads an answer; the pieces of a recorded stream are joined first. */
export function readAnswer(output: unknown): Message[] | undefined {
  if (typeof output === 'string') return [said('assistant', output)]
  const body = fields(wholeOf(output))
  if (body === undefined) return undefined
  for (const shape of SHAPES) {
    const said = shape.messages?.(body)
    if (said !== undefined) return messagesOf(said)
  }
  return undefined
}

const isMessage = (value: unknown) => {
  const one = fields(value)
  return one !== undefined && (typeof one.role === 'string' || typeof one.type === 'string')
}

const messagesOf = (values: readonly unknown[]): Message[] =>
  values.map(value => {
    const one = fields(value)
    return one === undefined ? { role: 'user', parts: [partOf(value)] } : turnOf(one)
  })

/** A message with a role, or, in OpenAI's responses, a call or a result that stands alone. */
function turnOf(one: Fields): Message {
  const { role } = one
  if (typeof role !== 'string')
    return { role: one.type === 'function_call_output' ? 'tool' : 'assistant', parts: bareOf(one) }
  if (role === 'tool' && typeof one.tool_call_id === 'string') {
    const { tool_call_id: id, name, content } = one
    return { role, parts: [resultOf({ id, name, output: textsOf(content) ?? content })] }
  }
  const calls = [...list(one.tool_calls), ...(one.function_call == null ? [] : [one.function_call])]
  const read = message(role === 'model' ? 'assistant' : role, one.content ?? one.parts ?? one.blocks)
  if (filled(one.refusal)) read.parts.push({ kind: 'refusal', text: one.refusal })
  for (const call of calls)
    read.parts.push(callOf(fields(fields(call)?.function) ?? fields(call) ?? {}, fields(call)?.id))
  return read
}

function bareOf(one: Fields): Part[] {
  if (one.type === 'message') return message('assistant', one.content).parts
  if (one.type === 'reasoning') {
    const text = textsOf(one.summary)
    return text ? [{ kind: 'thinking', text }] : [{ kind: 'json', value: one }]
  }
  return [partOf(one)]
}

const said = (role: string, text: string): Message => ({ role, parts: [{ kind: 'text', text }] })

function message(role: string, content: unknown): Message {
  if (content === undefined || content === null) return { role, parts: [] }
  return { role, parts: (Array.isArray(content) ? content : [content]).map(partOf) }
}

const TEXTS = new Set(['text', 'input_text', 'output_text', 'summary_text'])
const CALLS = new Set(['tool_use', 'tool-call', 'tool_call', 'function_call', 'server_tool_use'])
const RESULTS = new Set(['tool_result', 'tool-result', 'function_call_output', 'tool-error'])
const MEDIA = /image|file|audio|video|document/

function partOf(value: unknown): Part {
  if (typeof value === 'string') return { kind: 'text', text: value }
  const part = fields(value)
  if (part === undefined) return { kind: 'json', value }
  const type = typeof part.type === 'string' ? part.type : ''
  if (typeof part.text === 'string' && (TEXTS.has(type) || type === ''))
    return { kind: part.thought === true ? 'thinking' : 'text', text: part.text }
  const thoughts = type === 'reasoning' ? part.text : part.thinking
  if (filled(thoughts)) return { kind: 'thinking', text: thoughts }
  if (type === 'refusal' && filled(part.refusal)) return { kind: 'refusal', text: part.refusal }
  if (CALLS.has(type)) return callOf(part)
  if (RESULTS.has(type)) return resultOf(part)
  if (type === 'object' && 'object' in part) return { kind: 'json', value: part.object }
  const [call, result] = [fields(part.functionCall), fields(part.functionResponse)]
  if (call !== undefined) return callOf(call)
  if (result !== undefined) return resultOf(result)
  return mediaOf(type, part) ?? { kind: 'json', value }
}

function callOf(call: Fields, id: unknown = call.id ?? call.call_id ?? call.toolCallId): Part {
  const name = call.name ?? call.toolName
  const input = call.arguments ?? call.input ?? call.args
  return {
    kind: 'call',
    name: typeof name === 'string' ? name : 'a tool',
    ...(typeof id === 'string' ? { id } : {}),
    input: typeof input === 'string' ? parsed(input) : input,
  }
}

function resultOf(result: Fields): Part {
  const name = result.name ?? result.toolName
  const id = result.tool_use_id ?? result.call_id ?? result.toolCallId ?? result.id
  const output = result.output ?? result.result ?? result.response ?? result.error ?? result.content
  return {
    kind: 'result',
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof id === 'string' ? { id } : {}),
    output: typeof output === 'string' ? parsed(output) : (textsOf(output) ?? output),
    failed: result.is_error === true || result.isError === true || result.type === 'tool-error',
  }
}

/** Media as the providers write it: a URL, or the bytes in base64 under one of several names. */
function mediaOf(type: string, part: Fields): Part | undefined {
  const source =
    fields(part.source) ??
    fields(part.inlineData) ??
    fields(part.fileData) ??
    fields(part.input_audio) ??
    part
  if (!MEDIA.test(type) && part.inlineData == null && part.fileData == null) return undefined
  const given = [
    fields(part.image_url)?.url,
    part.image_url,
    source.url,
    source.fileUri,
    part.image,
    source.data,
    fields(part.file)?.file_data,
  ].find(one => typeof one === 'string') as string | undefined
  const media = source.media_type ?? source.mimeType ?? part.mediaType ?? source.format
  const what = typeof media === 'string' ? media : type || 'file'
  if (given === undefined) return { kind: 'json', value: part }
  if (/^https?:\/\//i.test(given)) return { kind: 'media', words: what, url: given }
  const inside = given.slice(given.indexOf(',') + 1)
  const named = /^data:([^;,]{1,100})/.exec(given)?.[1] ?? what
  return {
    kind: 'media',
    words: `${named}, ${Math.ceil((inside.length * 0.75) / 1024)} KB within the prompt`,
  }
}

/** The joined texts of a list that holds nothing but texts; otherwise undefined. */
function textsOf(content: unknown): string | undefined {
  if (!Array.isArray(content) || content.length === 0) return undefined
  const texts = content.map(one => fields(one)?.text)
  return texts.every(text => typeof text === 'string') ? texts.join('\n') : undefined
}

/** Arguments and results are often JSON in a string; any other string stays text. */
function parsed(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const filled = (value: unknown): value is string => typeof value === 'string' && value !== ''
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}
