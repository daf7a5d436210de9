// Reads request bodies. Guarantee: at most LIMITS.body_bytes are held, and what comes out passed the JSON gate.

import { z } from 'zod'
import { ApiError } from '../domain/errors.ts'
import { checkJson, JsonError } from '../domain/json.ts'
import { LIMITS } from '../domain/limits.ts'
import { checked } from './validation.ts'

/** The body's text and its checked value; without a schema it must be empty or `{}`. */
export async function readJson(request: Request, schema: z.ZodType | undefined) {
  const text = await readText(request)
  if (schema === undefined) {
    if (text.trim() === '') return { text: '', body: undefined }
    checked(z.strictObject({}), parsed(text), 'body')
    return { text: '', body: undefined }
  }
  if (text === '') {
    if (schema.safeParse(undefined).success) return { text, body: undefined }
    throw new ApiError('invalid_request', 'The body is empty: send a JSON object.')
  }
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type.trim())) {
    throw new ApiError(
      'invalid_request',
      `The content type is ${type === '' ? 'missing' : JSON.stringify(type)}.`,
      'Send the body as content-type: application/json.',
    )
  }
  return { text, body: checked(schema, parsed(text), 'body') }
}

function parsed(text: string): unknown {
  try {
    checkJson(text)
  } catch (error) {
    if (error instanceof JsonError) throw new ApiError(error.code, `${error.message}.`)
    throw error
  }
  return JSON.parse(text)
}

async function readText(request: Request): Promise<string> {
  checkContentEncoding(request)
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of bodyOf(request)) {
    bytes += piece.length
    if (bytes > LIMITS.body_bytes) throw tooLarge()
    pieces.push(piece)
  }
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(whole)
  } catch {
    throw new ApiError('invalid_utf8', 'The body is not valid UTF-8: send the text encoded as UTF-8.')
  }
}

/** The body's bytes as they arrive; nothing when there is no body. */
export async function* bodyOf(request: Request): AsyncGenerator<Uint8Array> {
  if (request.body === null) return
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    reader.releaseLock()
  }
}

const DRAIN_MS = 5000

/**
 * Reads what is left of a body, up to LIMITS.body_bytes and DRAIN_MS. A host resets a connection on which bytes
 * arrive that nobody reads, and the sender would then see the reset and not the answer.
 */
export async function drain(request: Request): Promise<void> {
  if (request.body === null || request.body.locked) return
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), DRAIN_MS)
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

const tooLarge = () =>
  new ApiError(
    'body_too_large',
    `The body is larger than ${LIMITS.body_bytes} bytes.`,
    'Send a large batch as application/x-ndjson, one item a line: it may have any length.',
  )
