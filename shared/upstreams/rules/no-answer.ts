// Says of what a model call came to that it is no answer at all: an error inside of a good status, a page of a gateway, a
// body without any candidate. Guarantee: never throws; whatever has a text, a call of a tool or data of the model's is an
// answer, and so is an object of no known shape; data that a model may have written is never taken for a provider's.

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

/** Of what a provider sent as a good answer to a model call. */
export function noAnswer(sent: unknown): NoAnswer | undefined {
  if (typeof sent === 'string') return isPage(sent) ? PAGE : undefined
  // Google answers a list where a stream was asked for.
  const body = Array.isArray(sent) && sent.length === 1 ? sent[0] : sent
  if (!isFields(body) || hasSaid(body)) return undefined
  return errorIn(body) ?? (body === sent ? silent(body) : undefined)
}

/**
 * Of a value that may as well be a model's own data: only what nobody but a provider, its client or a gateway writes is no
 * answer, whole and with nothing beside it.
 */
export function surelyNoAnswer(value: unknown): NoAnswer | undefined {
  const none = noAnswer(value)
  if (none === undefined) return undefined
  if (typeof value === 'string') return isGatewayPage(value) ? none : undefined
  const body = Array.isArray(value) ? value[0] : value
  return isWholeError(body, none) || isEmptyAnswer(body) ? none : undefined
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

/** Fields beside which an error's text stands. What a model or an agent makes of a document has others. */
const OF_ERRORS = new Set(
  'error errors error_type error_msg error_code code status status_code statusCode type message msg detail details title param path timestamp request_id requestId req_id trace_id id user_id object success estimated_time warnings base_resp fault result messages __type Output'.split(
    ' ',
  ),
)
/** Fields of the answers in which providers put an error. */
const OF_ANSWERS = ['choices', 'candidates', 'model', 'modelVersion', 'usage', 'usageMetadata', 'output']

/** Whether its error is one that a provider writes; an agent may have an `error` of its own among its results. */
function isOfProvider(body: Fields): boolean {
  const choices = Array.isArray(body.choices) ? body.choices.map(fieldsIn) : []
  if (choices.some(({ error, finish_reason }) => isFields(error) || finish_reason === 'error')) return true
  const error = fieldsIn(body.error)
  const isNamed = ['message', 'code', 'type', 'status', 'details'].some(name => error[name] != null)
  if (isNamed && OF_ANSWERS.some(name => name in body)) return true
  if (!Object.keys(body).every(name => OF_ERRORS.has(name))) return false
  // A ticket has a code and a message too.
  return isAtTop(body) ? hasRequest(body) || body.object === 'error' || body.type === 'error' : true
}

/** No other field says that it is an error than a code and a message: DashScope, vLLM. */
const isAtTop = (body: Fields) =>
  ['error', 'errors', 'error_msg', 'base_resp', 'fault', '__type', 'Output'].every(name => body[name] == null)
const hasRequest = ({ request_id, requestId }: Fields) => isText(request_id) || isText(requestId)

/** What providers write beside their error. */
const BESIDE = ['user_id', 'request_id', 'requestId', 'type', 'id', 'estimated_time']
const IN_ERROR = ['message', 'code', 'type', 'param', 'status', 'details', 'metadata', 'innererror']

/** A provider's error with what shows that it is one. */
function isWholeError(body: unknown, { status }: NoAnswer): boolean {
  if (!isFields(body)) return false
  const names = Object.keys(body)
  if (!('error' in body)) return isWholeWithout(body)
  const { error } = body
  if (names.some(name => name !== 'error' && !BESIDE.includes(name))) return isFailedAnswer(body)
  if (!isFields(error)) return typeof body.estimated_time === 'number' // Hugging Face
  if (!Object.keys(error).every(name => IN_ERROR.includes(name))) return false
  if ('type' in body && body.type !== 'error') return false
  return (
    (body.type === 'error' && isText(error.type)) ||
    status !== null ||
    'param' in error ||
    [error.type, error.code].some(word => typeof word === 'string' && /^[a-z]+(?:_[a-z\d]+)+$/.test(word))
  )
}

/** Errors without the word: AWS, vLLM, DashScope, MiniMax, Cloudflare. */
function isWholeWithout(body: Fields): boolean {
  const { __type, object, base_resp, success, errors, result, choices } = body
  if (typeof __type === 'string') return /(?:Exception|Error)$/.test(__type)
  if (isFields(base_resp)) return typeof base_resp.status_code === 'number'
  if (success === false)
    return result === null && some(errors) && typeof fieldsIn(errors[0]).code === 'number'
  return object === 'error' || some(choices) || (hasRequest(body) && isText(body.code))
}

const isFailedAnswer = ({ object, choices }: Fields) =>
  object === 'response' || object === 'chat.completion' || some(choices)

/** An answer of a provider's own form, with nothing in it. */
function isEmptyAnswer(body: unknown): boolean {
  if (!isFields(body) || 'error' in body) return false
  const has = (name: string) => body[name] != null
  if (body.object === 'chat.completion') return true
  if ('choices' in body) return ['id', 'model', 'usage', 'created'].filter(has).length >= 2
  if (isFields(body.usageMetadata) || isText(body.modelVersion) || isFields(body.sdkHttpResponse)) return true
  return (has('stopReason') && has('metrics')) || (body.done === true && has('created_at'))
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

const TITLE_WITHIN = 8 * 1024
const STATUS_WORDS =
  '(?:bad gateway|gateway time-?out|(?:service )?(?:temporarily )?unavailable|forbidden|unauthorized|internal server error|server error|too many requests|bad request|proxy authentication required|(?:request entity|payload|content) too large|request time-?out|web server is down|connection timed out|ssl handshake failed|origin is unreachable|a timeout occurred|access denied)'
/** What gateways call their pages: nginx, Envoy, Cloudflare, CloudFront, Akamai, F5. */
const GATEWAY_TITLE = new RegExp(
  `^(?:(?:http )?(?:error|status)?:? ?[45]\\d\\d|(?:.{0,200}\\b[45]\\d\\d:? ?[-–|]? ?)?${STATUS_WORDS}!?|error: the request could not be satisfied|request rejected|just a moment\\.{3}|attention required! \\| cloudflare)$`,
  'i',
)

/** Whether a page names itself as a gateway's: a model may have been asked for any other. */
function isGatewayPage(page: string): boolean {
  const title = /<title>([^<]{0,300})<\/title>/i.exec(page.slice(0, TITLE_WITHIN))?.[1]
  return title !== undefined && GATEWAY_TITLE.test(title.replace(/\s+/g, ' ').trim())
}
