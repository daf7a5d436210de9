// Reads request bodies. Guarantee: holds no more bytes than an endpoint allows, and returns only JSON that passed the
// JSON gate.

import * as z from 'zod'
import { checkJson } from '../json/json.ts'
import { JsonError } from '../json/json-error.ts'
import { type LongList, readLongList } from '../json/json-list.ts'
import { ApiError } from '../kernel/errors.ts'
import { LIMITS } from '../kernel/limits.ts'
import { checked } from './validation.ts'

/** How long a body may take to arrive, and the error for a slower one. */
interface Within {
  ms: number
  tooSlow(): ApiError
}

/** The body's bytes, at most `max`. @throws ApiError `body_too_large` with the hint, or the error of `within` */
export async function readBytes(
  request: Request,
  max: number,
  hint?: string,
  within?: Within,
): Promise<Uint8Array> {
  checkContentEncoding(request)
  const length = request.headers.get('content-length') ?? ''
  const isShort = /^\d+$/.test(length) && Number(length) <= Math.min(max, LIMITS.body_bytes)
  if (isShort && within === undefined) return wholeBody(request)
  const tooLarge = () => new ApiError('body_too_large', `The body is larger than ${max} bytes.`, hint)
  if (/^\d+$/.test(length) && Number(length) > max) throw tooLarge()
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of bodyOf(request, within)) {
    bytes += piece.length
    if (bytes > max) throw tooLarge()
    pieces.push(piece)
  }
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Reads a short body, whose content-length hosts enforce, at once: a stream would cost as much as all else. */
async function wholeBody(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await fromSender(request, request.arrayBuffer()))
  } catch (error) {
    throw new BodyBrokeOff(error)
  }
}

/** The text of a body that is one JSON value of any kind. @throws ApiError for a value the gate refuses */
export function jsonTextOf(request: Request, bytes: Uint8Array): string {
  if (bytes.length === 0) throw new ApiError('invalid_request', 'The body is empty: send a JSON value.')
  checkContentType(request, /^application\/([\w.-]+\+)?json\s*(;|$)/i)
  const text = decoded(bytes)
  checkGate(text)
  return text
}

/** The body's text, of at most `max` bytes, and its checked value; without a schema it must be empty or `{}`. */
export async function readJson(request: Request, schema: z.ZodType | undefined, max: number) {
  const text = decoded(await readBytes(request, max))
  if (schema === undefined) {
    if (text.trim() === '') return { text: '', body: undefined }
    checked(z.strictObject({}), parsed(text), 'body')
    return { text: '', body: undefined }
  }
  if (text === '') {
    if (schema.safeParse(undefined).success) return { text, body: undefined }
    throw new ApiError('invalid_request', 'The body is empty: send a JSON object.')
  }
  checkContentType(request, JSON_TYPE)
  return { text, body: checked(schema, parsed(text), 'body') }
}

/** Like readJson, for a body with a member that may be a long list: its elements are parsed on demand. */
export async function readListed(request: Request, schema: z.ZodType, name: string, max: number) {
  const text = decoded(await readBytes(request, max, SEND_LINES))
  if (text === '') throw new ApiError('invalid_request', 'The body is empty: send a JSON object.')
  checkContentType(request, JSON_TYPE)
  const { rest, elements } = await longList(text, name)
  return { text, body: checked(schema, JSON.parse(rest), 'body'), elements }
}
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i
const SEND_LINES = 'Send a large batch as application/x-ndjson, one item a line: it may have any length.'

const longList = (text: string, name: string): Promise<LongList> =>
  readLongList(text, name).catch(error => {
    throw apiErrorOf(error)
  })

function checkContentType(request: Request, taken: RegExp): void {
  const type = request.headers.get('content-type')?.trim() ?? ''
  if (taken.test(type)) return
  throw new ApiError(
    'invalid_request',
    `The content type is ${type === '' ? 'missing' : JSON.stringify(type)}.`,
    'Send the body as content-type: application/json.',
  )
}

function parsed(text: string): unknown {
  checkGate(text)
  return JSON.parse(text)
}

function checkGate(text: string): void {
  try {
    checkJson(text)
  } catch (error) {
    throw apiErrorOf(error)
  }
}

const apiErrorOf = (error: unknown) =>
  error instanceof JsonError ? new ApiError(error.code, `${error.message}.`) : error

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new ApiError('invalid_utf8', 'The body is not valid UTF-8: send the text encoded as UTF-8.')
  }
}

/** The body's bytes as they arrive, none without a body. @throws ApiError if none arrive for LIMITS.body_stall_ms */
export async function* bodyOf(request: Request, within?: Within): AsyncGenerator<Uint8Array> {
  if (request.body === null) return
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  let late: ApiError | undefined
  const giveUp = (error: ApiError) => {
    late = error
    void reader.cancel().catch(() => {}) // ends the pending read
  }
  const timer = within && setTimeout(() => giveUp(within.tooSlow()), within.ms)
  try {
    for (;;) {
      const stalled = setTimeout(() => giveUp(stall()), LIMITS.body_stall_ms)
      const part = await next(request, reader).finally(() => clearTimeout(stalled))
      if (part.done) break
      yield part.value
    }
    if (late !== undefined) throw late
  } finally {
    clearTimeout(timer)
    reader.releaseLock()
  }
}

const stall = () =>
  new ApiError(
    'invalid_request',
    `Nothing of the body came for ${LIMITS.body_stall_ms / 1000} s.`,
    'Send it again, with its idempotency_key where it had one.',
  )

/** The sender left, or its connection broke: not a fault of this side. */
export class BodyBrokeOff extends ApiError {
  constructor(cause: unknown) {
    super('invalid_request', 'The body broke off before its end.')
    this.cause = cause
  }
}

async function next(request: Request, reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await fromSender(request, reader.read())
  } catch (error) {
    throw new BodyBrokeOff(error)
  }
}

const awaited = new WeakSet<Request>()

/** Whether it waits for bytes of its sender, so that nothing else keeps it waiting. */
export const awaitsBody = (request: Request): boolean => awaited.has(request)

function fromSender<T>(request: Request, bytes: Promise<T>): Promise<T> {
  awaited.add(request)
  return bytes.finally(() => awaited.delete(request))
}

/** Compressed bodies are not unpacked: a small one could hold any amount. */
export function checkContentEncoding(request: Request): void {
  const encoding = request.headers.get('content-encoding')
  if (encoding === null || encoding.toLowerCase() === 'identity') return
  throw new ApiError(
    'invalid_request',
    `Content encoding ${JSON.stringify(encoding)} is not taken: send the body as it is.`,
  )
}
