// Submits the rows of a file as a run. Guarantee: all rows sent are accepted, or none.

import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { ReadableStream } from 'node:stream/web'
import { INPUT_LIMITS } from '../kernel/limits/input.ts'
import {
  BadLines,
  type Fields,
  formatOfText,
  itemLines,
  type Taking,
} from '../submission/rules/file-items.ts'
import { EXIT, Failure } from './failure.ts'
import { bytes } from './format.ts'
import type { Session } from './session.ts'

const READ_BYTES = 256 * 1024
const SENDING_SHOWN_MS = 200

// Node's ReadableStream is the web's; only the types differ.
type Body = globalThis.ReadableStream<Uint8Array>

export interface Submission {
  agent_id: string
  name?: string
  budget_cents?: number
  allow_unpriced?: boolean
  concurrency?: number
  patience_seconds?: number
  pilot_items?: number
  callback_url?: string
  idempotency_key?: string
  tags?: string[]
}

export interface Source extends Taking {
  path: string
  fields: Fields
  /** Input to read instead of the file at `path`; it can be read only once. */
  input?: AsyncIterable<Uint8Array>
}

const HEAD_BYTES = 64 * 1024

/** Standard input as a source; its beginning shows whether it is CSV or lines of JSON. */
export async function inputSource(stdin: AsyncIterable<Uint8Array>, fields: Fields): Promise<Source> {
  const reader = stdin[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  let text = ''
  const decoder = new TextDecoder()
  while (!text.trimStart().includes('\n') && text.length < HEAD_BYTES) {
    const { done, value } = await reader.next()
    if (done) break
    head.push(value)
    text += decoder.decode(value, { stream: true })
  }
  async function* input() {
    yield* head
    for (let next = await reader.next(); !next.done; next = await reader.next()) yield next.value
  }
  return { path: 'standard input', fields, input: input(), format: formatOfText(text.replace(/^\ufeff/, '')) }
}

/** The beginning of a file, to inspect its first rows, and the file's size in bytes. */
export async function headOf(path: string): Promise<{ head: Uint8Array; size: number }> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read({
    buffer: Buffer.alloc(INPUT_LIMITS.head_bytes),
    position: 0,
  })
  return { head: buffer.subarray(0, bytesRead), size: (await file.stat()).size }
}

/** Counts the rows, and checks that each can be an item. @throws Failure `invalid_line` */
export async function surveyed({
  path,
  fields,
  input,
  format,
}: Source): Promise<{ rows: number; changed_ms: number }> {
  let rows = 0
  const takes = () => {
    rows++
    return false
  }
  const changed_ms = input === undefined ? (await stat(path)).mtimeMs : 0
  try {
    const read = input ?? createReadStream(path, { highWaterMark: READ_BYTES })
    for await (const _ of itemLines(path, read, fields, { takes, ...(format && { format }) }));
  } catch (error) {
    throw asSubmitFailure(error)
  }
  return { rows, changed_ms }
}

/** Streams the rows as one run. */
export async function submitSource(
  { api, output, now }: Pick<Session, 'api' | 'output' | 'now'>,
  { path, fields, input, ...taking }: Source,
  order: Submission,
): Promise<{ run_id: string; total_items: number }> {
  const size = input === undefined ? (await stat(path)).size : undefined
  let problem: unknown
  let sent = 0
  let shownAt = now()
  async function* pieces() {
    try {
      for await (const piece of itemLines(path, counted(), fields, taking)) yield piece
    } catch (error) {
      problem = error
      throw error
    }
  }
  async function* counted() {
    for await (const chunk of input ?? createReadStream(path, { highWaterMark: READ_BYTES })) {
      yield chunk as Uint8Array
      sent += chunk.length
      if (now() - shownAt < SENDING_SHOWN_MS) continue
      shownAt = now()
      output.redraw(
        'sending',
        { bytes: sent, ...(size !== undefined && { of_bytes: size }) },
        () => `sending ${bytes(sent)}${size === undefined ? '' : ` of ${bytes(size)}`}`,
      )
    }
  }
  try {
    const { run_id, total_items } = await api.submitLines(order, ReadableStream.from(pieces()) as Body)
    return { run_id, total_items }
  } catch (error) {
    throw asSubmitFailure(problem ?? error, order)
  }
}

function asSubmitFailure(error: unknown, order?: Submission): unknown {
  if (error instanceof BadLines) {
    return new Failure(EXIT.usage, 'invalid_line', error.message, {
      hint: 'nothing was accepted; correct these lines',
    })
  }
  if ((error as NodeJS.ErrnoException).syscall === 'read') {
    return new Failure(EXIT.usage, 'unreadable_file', (error as Error).message, {
      hint: 'nothing was accepted',
    })
  }
  if (
    error instanceof Failure &&
    error.code === 'unreachable' &&
    order &&
    order.idempotency_key === undefined
  ) {
    return new Failure(error.exit, error.code, error.message, {
      hint: `${error.hint} If the connection broke off late, the run may have been accepted: assay runs shows it; --idempotency-key makes it safe to repeat.`,
      next: error.next ?? 'assay runs',
    })
  }
  return error
}
