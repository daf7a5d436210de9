// Says of what a model call came to that it is no answer at all: an error inside of a good status, a page of a gateway, a
// body without any candidate. Guarantee: never throws; whatever has a text, a call of a tool or data of the model's is an
// answer, and so is an object of no known shape.

import type { Fault } from '../vocabulary.ts'
import { classifyBody } from './classify.ts'
import { isPage } from './error-body.ts'

export interface NoAnswer {
  /** What the provider said, or what is missing. */
  words: string
  fault: Fault
  /** The HTTP status that the body names. */
  status: number | null
}

type Fields = Record<string, unknown>

/** Whoever asks for a page may get one; `asked` is the request. */
export function noAnswer(output: unknown, asked?: unknown): NoAnswer | undefined {
  if (typeof output === 'string') return isPage(output) && !asksForPage(asked) ? PAGE : undefined
  // Google answers a list where a stream was asked for.
  const body = Array.isArray(output) && output.length === 1 ? output[0] : output
  if (!isFields(body) || hasSaid(body)) return undefined
  return errorIn(body) ?? (body === output ? silent(body) : undefined)
}

const missing = (words: string): NoAnswer => ({ words, fault: 'provider_error', status: null })
const PAGE = missing('a page instead of an answer')

function errorIn(body: Fields): NoAnswer | undefined {
  if (!isOfProvider(body)) return undefined
  const found = classifyBody(body)
  return found && { words: found.words, fault: found.fault, status: found.status }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})
const some = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0
const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''

/** Fields that hold an answer, of whatever provider or client. */
const ANSWERS = [
  'text',
  'content',
  'response',
  'output_text',
  'object',
  'parsed',
  'raw',
  'result',
  'data',
  'results',
] as const
const LISTS = [
  'embeddings',
  'embedding',
  'steps',
  'messages',
  'generations',
  'predictions',
  'images',
] as const

function hasSaid(body: Fields): boolean {
  const choices = Array.isArray(body.choices) ? body.choices : []
  if (choices.some(choice => saysInChoice(fieldsIn(choice)))) return true
  if (some(body.candidates) || saysMessage(fieldsIn(body.message))) return true
  const output = Array.isArray(body.output) ? body.output : []
  if (output.some(one => isText(one) || some(fieldsIn(one).content) || fieldsIn(one).type !== 'message'))
    return true
  if (isFields(body.output) && body.output.__type === undefined) return true
  if (LISTS.some(name => some(body[name]))) return true
  // OpenAI's own word for what kind of object a body is.
  return ANSWERS.some(name => !(name === 'object' && !isFields(body.object)) && isFilled(body[name]))
}

const isFilled = (value: unknown) =>
  isText(value) || some(value) || (isFields(value) && Object.keys(value).length > 0 && !isFields(value.error))

const saysInChoice = (choice: Fields) => isText(choice.text) || saysMessage(fieldsIn(choice.message))

/** Also what it leaves empty is an answer, if it did not end in an error: the model said nothing. */
function saysMessage(message: Fields): boolean {
  const { content, tool_calls, toolCalls, refusal, audio, images, function_call } = message
  return (
    isText(content) ||
    some(content) ||
    some(tool_calls) ||
    some(toolCalls) ||
    isText(refusal) ||
    audio != null ||
    some(images) ||
    function_call != null
  )
}

/** Fields beside which an error's text stands. What an agent made of an answer has others. */
const OF_ERRORS = new Set(
  'error errors error_type error_msg error_code code status status_code statusCode type message msg detail details title param path timestamp request_id requestId req_id trace_id id user_id object success estimated_time warnings base_resp fault result messages __type Output'.split(
    ' ',
  ),
)

/** Whether its error is one that a provider writes; an agent may have an `error` of its own among its results. */
function isOfProvider(body: Fields): boolean {
  const error = fieldsIn(body.error)
  if (['message', 'code', 'type', 'status', 'details'].some(name => error[name] != null)) return true
  if (
    some(body.choices) &&
    body.choices.some(
      choice => isFields(fieldsIn(choice).error) || fieldsIn(choice).finish_reason === 'error',
    )
  )
    return true
  return Object.keys(body).every(name => OF_ERRORS.has(name))
}

/** What an answer of a known provider lacks; its other fields show whose it is. */
function silent(body: Fields): NoAnswer | undefined {
  if (Object.keys(body).length === 0) return missing('an empty object instead of an answer')
  const has = (...names: string[]) => names.some(name => body[name] !== undefined && body[name] !== null)
  if ('choices' in body || body.object === 'chat.completion')
    return some(body.choices) || !has('id', 'object', 'model', 'usage', 'created')
      ? undefined
      : missing('no choice in the answer')
  if (has('usageMetadata', 'modelVersion', 'promptFeedback', 'responseId') || Array.isArray(body.candidates))
    return isText(fieldsIn(body.promptFeedback).blockReason)
      ? undefined
      : missing('no candidate in the answer')
  if (Object.keys(body).every(name => name === 'sdkHttpResponse'))
    return missing('no candidate in the answer')
  if (has('stopReason') && has('metrics') && !has('output')) return missing('no message in the answer')
  if (body.done === true && has('model') && !has('message', 'response'))
    return missing('no message in the answer')
  return undefined
}

/** As much of a request as is searched for what it asks for. */
const ASKED_CHARACTERS = 64 * 1024

function asksForPage(asked: unknown): boolean {
  try {
    return /html|\bpage|\bsite\b|website|markup|template/i.test(
      JSON.stringify(asked ?? '').slice(0, ASKED_CHARACTERS),
    )
  } catch {
    return true
  }
}
