// Reads request bodies. Guarantee: at most LIMITS.body_bytes are held, and what comes out passed the JSON gate.

import * as z from 'zod'
import { ApiError } from '../domain/errors.ts'
import { checkJson } from '../domain/json.ts'
import { JsonError } from '../domain/json-error.ts'
import { LIMITS } from '../domain/limits.ts'
import { checked } from './validation.ts'

const SEND_LINES = 'Send a large batch as application/x-ndjson, one item a line: it may have any length.'

/** How long a body may take to come, and the error for one that takes longer. */
interface Within {
  ms: number
  tooSlow(): ApiError
}

/** The body's bytes, at most `max`. @throws ApiError `body_too_large` with the hint, and of `within` */
export async function readBytes(
  request: Request,
  max: number,
  hint: string,
  within?: Within,
): Promise<Uint8Array> {
  checkContentEncoding(request)
  const length = request.headers.get('content-length') ?? ''
  if (/^\d+$/.test(length) && Number(length) <= max && within === undefined) return wholeBody(request)
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of bodyOf(request, within)) {
    bytes += piece.length
    if (bytes > max) throw new ApiError('body_too_large', `The body is larger than ${max} bytes.`, hint)
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

/** Of a length that was announced, to which hosts hold a sender: a stream of it costs as much as all else of a short request. */
async function wholeBody(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer())
  } catch (error) {
    throw new BodyBrokeOff(error)
  }
}

/** The text of a body that is one JSON value of any kind. @throws ApiError for what the gate does not pass */
export function jsonTextOf(request: Request, bytes: Uint8Array): string {
  if (bytes.length === 0) throw new ApiError('invalid_request', 'The body is empty: send a JSON value.')
  checkContentType(request, /^application\/([\w.-]+\+)?json\s*(;|$)/i)
  const text = decoded(bytes)
  checkGate(text)
  return text
}

/** The body's text and its checked value; without a schema it must be empty or `{}`. */
export async function readJson(request: Request, schema: z.ZodType | undefined) {
  const text = decoded(await readBytes(request, LIMITS.body_bytes, SEND_LINES))
  if (schema === undefined) {
    if (text.trim() === '') return { text: '', body: undefined }
    checked(z.strictObject({}), parsed(text), 'body')
    return { text: '', body: undefined }
  }
  if (text === '') {
    if (schema.safeParse(undefined).success) return { text, body: undefined }
    throw new ApiError('invalid_request', 'The body is empty: send a JSON object.')
  }
  checkContentType(request, /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i)
  return { text, body: checked(schema, parsed(text), 'body') }
}

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
    if (error instanceof JsonError) throw new ApiError(error.code, `${error.message}.`)
    throw error
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new ApiError('invalid_utf8', 'The body is not valid UTF-8: send the text encoded as UTF-8.')
  }
}

/** The body's bytes as they arrive; nothing when there is no body. */
export async function* bodyOf(request: Request, within?: Within): AsyncGenerator<Uint8Array> {
  if (request.body === null) return
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  let isLate = false
  const timer =
    within &&
    setTimeout(() => {
      isLate = true
      void reader.cancel().catch(() => {}) // ends the read that waits
    }, within.ms)
  try {
    for (let part = await next(reader); !part.done; part = await next(reader)) yield part.value
    if (isLate) throw within!.tooSlow()
  } finally {
    clearTimeout(timer)
    reader.releaseLock()
  }
}

/** The sender left, or its connection broke: not a fault of this side. */
export class BodyBrokeOff extends ApiError {
  constructor(cause: unknown) {
    super('invalid_request', 'The body broke off before its end.')
    this.cause = cause
  }
}

async function next(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read()
  } catch (error) {
    throw new BodyBrokeOff(error)
  }
}

/**
 * Reads what is left of a body, up to LIMITS.body_bytes and LIMITS.body_drain_ms. A host resets a connection on which bytes
 * arrive that nobody reads, and the sender would then see the reset and not the answer.
 */
export async function drain(request: Request): Promise<void> {
  if (request.body === null || request.body.locked) return
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), LIMITS.body_drain_ms)
  try {
    let bytes = 0
    for (
      let part = await reader.read();
      !part.done && bytes <= LIMITS.body_bytes;
      part = await reader.read()
    ) {
      bytes += part.value.length
    }
  } catch {
    // The sender has gone; there is nobody to answer.
  } finally {
    clearTimeout(timer)
    reader.cancel().catch(() => {})
  }
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
