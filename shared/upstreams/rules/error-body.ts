// Reads what a provider says in an error, in whatever shape it has. Guarantee: never throws; what a model wrote in a good
// answer is not read as an error, since only fields and lines that a provider itself writes are looked at.

export interface Said {
  message: string
  /** In lower case, the most telling first; without AWS's namespaces. */
  codes: string[]
  /** The HTTP status that the body names; null if it names none. */
  status: number | null
}

type Fields = Record<string, unknown>
type Header = (name: string) => string | null

const BODY_CHARACTERS = 16 * 1024
const MESSAGE_CHARACTERS = 2000
const LISTED = 20

/** What an answer says whose status is an error's. */
export function saidIn(whole: string, header: Header): Said {
  const body = whole.slice(0, BODY_CHARACTERS)
  const said = saidBy(parsed(body)) ??
    errorInEvents(body) ?? { message: textOf(body), codes: [], status: null }
  const named = header('x-amzn-errortype')
  return named === null ? said : { ...said, codes: [codeOf(named), ...said.codes] }
}

/** The error in an answer whose status is a good one; undefined if it is a good answer. */
export function errorInGood(whole: string, header: Header): Said | undefined {
  const body = whole.slice(0, BODY_CHARACTERS)
  const type = (header('content-type') ?? '').toLowerCase()
  if (header('x-amzn-errortype') !== null) return saidIn(body, header)
  if (type.includes('amazon.eventstream')) return errorInFrames(body)
  // A transcription, a sound: whatever it looks like, it is what was asked for.
  if (type !== '' && !/json|event-stream|html|octet-stream/.test(type)) return undefined
  if (isPage(body)) return { message: 'a page instead of an answer', codes: [], status: null }
  if (/^\s{0,64}(?:data|event|id|retry)?:/.test(body)) return errorInEvents(body)
  return errorOf(parsed(body))
}

export const isPage = (body: string) => /^\s{0,512}(?:<!doctype html|<html)/i.test(body)

/** Undefined for what is no JSON, also because it is cut. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value, if it is an object, else one without fields. */
const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, LISTED) : [])

/** The error of a body or of one event. A body that has an answer is good, whatever else it has. */
export function errorOf(value: unknown): Said | undefined {
  // Gemini streams a list unless it is asked for events.
  if (Array.isArray(value)) return value.length === 0 ? undefined : errorOf(value.at(-1))
  if (!isFields(value)) return undefined
  const inner = fieldsIn(value.response) // OpenAI's response.failed
  if (value.type === 'response.failed' && isError(inner.error)) return saidBy(inner)
  const choice = listIn(value.choices)
    .map(fieldsIn)
    .find(one => isError(one.error))
  if (choice !== undefined) return saidBy(choice)
  const hasFailed = listIn(value.choices).some(one => fieldsIn(one).finish_reason === 'error')
  if (hasAnswer(value) && !hasFailed && value.status !== 'failed') return undefined
  return saysError(value) ? saidBy(value) : undefined
}

const hasAnswer = (value: Fields) =>
  ['choices', 'content', 'candidates', 'output', 'embeddings', 'results'].some(
    name => listIn(value[name]).length > 0,
  ) || isFields(value.message)

const isError = (value: unknown) =>
  (typeof value === 'string' && value !== '') || (isFields(value) && Object.keys(value).length > 0)

/** The fields by which a body of whatever provider says that it is an error. */
function saysError(value: Fields): boolean {
  const isNamed = typeof value.code === 'string' && typeof value.message === 'string' // DashScope
  return (
    isError(value.error) ||
    value.object === 'error' ||
    value.type === 'error' ||
    isNamed ||
    typeof value.__type === 'string' ||
    typeof fieldsIn(value.Output).__type === 'string' ||
    (value.success === false && listIn(value.errors).length > 0) || // Cloudflare
    isError(value.error_msg) || // Baidu
    Number(fieldsIn(value.base_resp).status_code ?? 0) !== 0 // MiniMax
  )
}

/** Places in which providers put the parts of an error, the inner ones first: they are the more telling. */
function placesIn(value: Fields): Fields[] {
  const error = fieldsIn(value.error)
  const details = [...listIn(error.details), ...listIn(error.errors), ...listIn(value.errors)]
  return [
    fieldsIn(error.details), // Anthropic
    fieldsIn(error.innererror), // Azure
    ...[...details, ...listIn(value.detail)].map(fieldsIn), // Google, Cloudflare, FastAPI
    error,
    fieldsIn(value.Output),
    fieldsIn(value.fault), // Apigee, before Fireworks
    fieldsIn(value.base_resp),
    value,
  ]
}

const CODES = ['error_code', 'errorcode', 'code', 'reason', 'status', 'type', '__type']
const STATUSES = ['code', 'status', 'status_code', 'statusCode', 'http_status']
const MESSAGES = ['message', 'Message', 'msg', 'error_msg', 'status_msg', 'faultstring', 'detail', 'title']

function saidBy(value: unknown): Said | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : saidBy(value.at(-1))
  if (!isFields(value)) return undefined
  const places = placesIn(value)
  const all = (names: string[]) => places.flatMap(place => names.map(name => place[name]))
  const texts = all(CODES).filter(one => typeof one === 'string' && one !== '') as string[]
  const status = all(STATUSES).map(Number).find(isStatus)
  return { message: messageIn(value, places), codes: [...new Set(texts.map(codeOf))], status: status ?? null }
}

const isStatus = (status: number) => Number.isInteger(status) && status >= 400 && status < 600

/** The error's own message before those of its details, and what a router was told by the provider behind it. */
function messageIn(value: Fields, places: Fields[]): string {
  const error = fieldsIn(value.error)
  const candidates = [value.error, ...[error, ...places].flatMap(place => MESSAGES.map(name => place[name]))]
  const message = candidates.find(one => typeof one === 'string' && one !== '') as string | undefined
  const { raw } = fieldsIn(error.metadata)
  const behind = typeof raw === 'string' && raw !== '' ? `: ${raw}` : ''
  return `${message ?? ''}${behind}`.slice(0, MESSAGE_CHARACTERS)
}

/** `com.amazon.coral.service#ThrottlingException` and `ThrottlingException:http://…` are one code. */
const codeOf = (text: string) => text.slice(0, 200).split('#').at(-1)!.split(':', 1)[0]!.trim().toLowerCase()

/** A line of a stream is written by the provider: a model's own lines are inside JSON, where a line end is escaped. */
function errorInEvents(body: string): Said | undefined {
  let isNamed = false
  for (const line of body.split(/\r?\n/)) {
    if (/^event: ?error\s{0,8}$/.test(line)) isNamed = true
    if (!line.startsWith('data:')) continue
    const value = isNamed || /error|exception|"code"|__type/i.test(line) ? parsed(line.slice(5)) : undefined
    if (isNamed) return saidBy(value) ?? { message: textOf(line.slice(5)), codes: [], status: null }
    const said = errorOf(value)
    if (said !== undefined) return said
  }
  return isNamed ? { message: '', codes: [], status: null } : undefined
}

/** Bedrock's frames: the name of an exception is a header, whose bytes cannot be in the JSON of a good event. */
function errorInFrames(body: string): Said | undefined {
  const name = /:exception-type\x07\x00[\x01-\x7f](\w{1,64})/.exec(body)
  if (name === null) return undefined
  const message = /\{"[Mm]essage": ?"([^"\\]{0,2000})/.exec(body.slice(name.index))?.[1]
  return { message: message ?? '', codes: [codeOf(name[1]!)], status: null }
}

/** A page says nothing that its status does not; of a JSON that is cut the message can still be found. */
function textOf(body: string): string {
  if (/^\s{0,512}</.test(body)) return ''
  if (!/^\s{0,512}[{[]/.test(body)) return body.slice(0, MESSAGE_CHARACTERS)
  return /"[Mm]essage"\s{0,8}:\s{0,8}"([^"\\]{0,2000})/.exec(body)?.[1] ?? ''
}
