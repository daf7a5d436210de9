// Reads the lines that batch services and evaluation tools write, one answer each. Guarantee: the answer is handed on as
// the provider gave it; a line that reports an error instead has that, never an empty answer.

import { type Fields, fields, filled } from './answer.ts'

export interface BatchLine {
  /** The identifier that the line was submitted with. */
  item_id: string | null
  /** The provider's answer; undefined if there is none. */
  output: unknown
  /** What was asked, where the line has it. */
  input?: unknown
  /** Why there is no answer. */
  error?: string
}

/** Undefined for a line that is none of these. */
export function batchLineOf(value: unknown): BatchLine | undefined {
  const line = fields(value)
  if (line === undefined) return undefined
  for (const read of [openai, anthropic, bedrock, promptfoo, litellm, gemini]) {
    const found = read(line)
    if (found !== undefined) return found
  }
  return undefined
}

const idOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : null

/** The words of an error, however deep they are; its type or code if it has none. */
function wordsOf(error: unknown): string {
  if (filled(error)) return error
  const { message, errorMessage, error: inner, code, type, errorCode } = fields(error) ?? {}
  if (filled(message)) return message
  if (filled(errorMessage)) return errorMessage
  if (fields(inner) !== undefined || filled(inner)) return wordsOf(inner)
  return String(code ?? errorCode ?? type ?? 'an error without words')
}

/** Also Azure, Mistral, Groq, Together, Fireworks and LiteLLM's proxy. */
function openai(line: Fields): BatchLine | undefined {
  if (!('custom_id' in line) || !('response' in line || 'error' in line) || 'result' in line) return undefined
  const item_id = idOf(line.custom_id)
  const response = fields(line.response)
  const status = response?.status_code ?? 200
  const body = response?.body ?? (response && 'status_code' in response ? undefined : response)
  if (line.error != null) return { item_id, output: undefined, error: wordsOf(line.error) }
  if (body == null || typeof status !== 'number' || status >= 400)
    return { item_id, output: undefined, error: body == null ? 'no answer' : wordsOf(body) }
  return { item_id, output: body, ...inputOf(line.request) }
}

function anthropic(line: Fields): BatchLine | undefined {
  const result = fields(line.result)
  if (!('custom_id' in line) || result === undefined) return undefined
  const item_id = idOf(line.custom_id)
  if (result.type === 'succeeded' && fields(result.message)) return { item_id, output: result.message }
  const error = result.error == null ? `the request was ${String(result.type)}` : wordsOf(result.error)
  return { item_id, output: undefined, error }
}

function bedrock(line: Fields): BatchLine | undefined {
  if (!('recordId' in line) || !('modelInput' in line)) return undefined
  const item_id = idOf(line.recordId)
  if (line.modelOutput == null) return { item_id, output: undefined, error: wordsOf(line.error) }
  return { item_id, output: line.modelOutput, input: line.modelInput }
}

/** Of the Gemini API with `key`, of Vertex AI with `request`; BigQuery exports its answer as a text. */
function gemini(line: Fields): BatchLine | undefined {
  if (!('key' in line || 'request' in line) || !('response' in line || 'error' in line || 'status' in line))
    return undefined
  const item_id = idOf(line.key)
  const response = fields(typeof line.response === 'string' ? parsed(line.response) : line.response)
  if (response !== undefined && Object.keys(response).length > 0)
    return { item_id, output: response, ...inputOf(line.request) }
  return { item_id, output: undefined, error: wordsOf(line.error ?? line.status) }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** A line of `promptfoo eval -o results.jsonl`; its answer is a text or an object. */
function promptfoo(line: Fields): BatchLine | undefined {
  if (!('testIdx' in line && 'promptIdx' in line) && !('promptId' in line && 'vars' in line)) return undefined
  const response = fields(line.response)
  const item_id = idOf(line.id) ?? `${String(line.testIdx)}-${String(line.promptIdx)}`
  const { output, finishReason, error } = response ?? {}
  if (output == null)
    return { item_id, output: undefined, error: wordsOf(error ?? line.error ?? 'no answer') }
  const content = typeof output === 'string' ? output : JSON.stringify(output)
  const finish_reason = filled(finishReason) ? finishReason : 'stop'
  const answer = { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }] }
  const { raw } = fields(line.prompt) ?? {}
  return { item_id, output: answer, ...(filled(raw) && { input: raw }) }
}

/** A record of LiteLLM's logs (its standard logging payload). */
function litellm(line: Fields): BatchLine | undefined {
  if (!('call_type' in line) || !('response' in line || 'error_str' in line)) return undefined
  const item_id = idOf(line.id)
  if (line.status === 'failure' || line.response == null)
    return {
      item_id,
      output: undefined,
      error: wordsOf(line.error_str ?? line.error_information ?? line.error),
    }
  return { item_id, output: line.response, ...inputOf(line.messages) }
}

const inputOf = (input: unknown) => (input == null ? {} : { input })
