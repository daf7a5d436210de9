// Submits the rows of a file as a run. Guarantee: all rows sent are accepted, or none.

import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { ReadableStream } from 'node:stream/web'
import { unpack } from '../../infra/packing/packing.ts'
import { problemOf } from '../json/json.ts'
import { batchLineOf } from '../providers/rules/batch-line.ts'
import { BadLines, itemLines, linesOfRows, type Taking } from '../submission/rules/file-items.ts'
import { fileRows } from '../submission/rules/file-rows.ts'
import { NotText } from '../submission/rules/file-text.ts'
import type { Fields, Row } from '../submission/rules/rows.ts'
import type { Schemas } from './api.ts'
import { EXIT, Failure, usageFailure } from './failure.ts'
import { bytes } from './format.ts'
import { PerhapsDone } from './retrying.ts'
import type { Session } from './session.ts'
import { UnpackedBytes } from './unpacked-bytes.ts'

/** Rows of a piece are in memory as values, texts and lines: of 64 KiB, 1,000,000 rows of CSV took 247 MiB, of 32 KiB 184. */
const READ_BYTES = 32 * 1024
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
  /** Its rows are lines of a batch output. */
  as_answers?: boolean | undefined
  /** The sheet of a workbook. */
  sheet?: string | undefined
  fields: Fields
  /** Input to read instead of the file at `path`; it can be read only once. */
  input?: AsyncIterable<Uint8Array>
}

/** A workbook or a Parquet file may name one value any number of times. */
const SURE_BYTES = 512 * 1024 ** 2

async function* bounded(rows: AsyncIterable<Row[]>, size: number): AsyncGenerator<Row[]> {
  const held = new UnpackedBytes(size, SURE_BYTES)
  for await (const some of rows) {
    for (const row of some) if ('text' in row) held.add(row.text.length, 'its rows')
    yield some
  }
}

/** The rows of a workbook or a Parquet file; undefined of a file of text. Their libraries are loaded only for these. */
async function tableRows(
  path: string,
  fields: Fields,
  { sheet, table }: Pick<Source, 'sheet' | 'table'>,
): Promise<AsyncIterable<Row[]> | undefined> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(4), position: 0 })
  const begin = buffer.toString('latin1', 0, bytesRead)
  const { size } = await file.stat()
  if (begin === 'PK\x03\x04')
    return whole(bounded((await import('./xlsx.ts')).sheetRows(path, fields, { sheet, table }), size))
  if (sheet !== undefined) throw usageFailure('--sheet is of Excel workbooks', { hint: `${path} is none` })
  if (begin !== 'PAR1') return undefined
  return whole(bounded((await import('./parquet.ts')).parquetRows(path, fields, table), size))
}

/** The fields of a row that `answerRows` makes. */
const ANSWER: Fields = { item_id: 'item_id', input: 'input' }

/** The answers of a batch output as items: their own identifiers, and what the provider said. */
async function* answerRows(rows: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
  for await (const some of rows) yield some.map(row => ('text' in row ? answerRow(row.text, row.line) : row))
}

function answerRow(text: string, line: number): Row {
  if (problemOf(text) !== undefined) return { line, text } // its own error names the place
  const answer = batchLineOf(JSON.parse(text))
  if (answer === undefined || answer.item_id === null)
    return { line, problem: 'is no answer of a batch output with its identifier (custom_id or key)' }
  const { item_id, output: said = null, error = null } = answer
  return { line, text: JSON.stringify({ item_id, input: { answer: said, error } }) }
}

/** A file that cannot be read is one problem at line 0. */
async function* whole(rows: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
  try {
    yield* rows
  } catch (error) {
    if (!(error instanceof NotText)) throw error
    yield [{ line: 0, problem: error.message, last: true }]
  }
}

/** The pieces of the request's body, with the progress of reading. @throws Failure `invalid_line` */
export async function* readItems(
  { output, now }: Pick<Session, 'output' | 'now'>,
  { path, fields, input, as_answers, ...taking }: Source,
  doing: 'reading' | 'sending',
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const size = input === undefined ? (await stat(path)).size : undefined
  let read = 0
  let shownAt = now()
  async function* counted() {
    for await (const chunk of input ?? createReadStream(path, { highWaterMark: READ_BYTES })) {
      yield chunk as Uint8Array
      read += chunk.length
      if (now() - shownAt < SENDING_SHOWN_MS) continue
      shownAt = now()
      output.redraw(
        doing,
        { bytes: read, ...(size !== undefined && { of_bytes: size }) },
        () => `${doing} ${bytes(read)}${size === undefined ? '' : ` of ${bytes(size)}`}`,
      )
    }
  }
  try {
    const rows = input === undefined ? await tableRows(path, fields, taking) : undefined
    if (rows !== undefined) taking.written?.('array') // its rows are no lines
    const options = { ...taking, unpack }
    if (as_answers)
      yield* linesOfRows(path, answerRows(fileRows(path, counted(), {}, options)), ANSWER, options)
    else if (rows === undefined) yield* itemLines(path, counted(), fields, options)
    else yield* linesOfRows(path, rows, fields, { ...taking, noun: () => 'row' })
  } catch (error) {
    throw asSubmitFailure(error)
  }
}

/**
 * Streams the rows as one run. A file is sent again while the server is away, if it has a key, so that all of that is one
 * run; standard input can be read only once.
 */
export async function submitSource(
  session: Pick<Session, 'api' | 'output' | 'now' | 'retrying'>,
  source: Source,
  order: Submission,
): Promise<Schemas['SubmittedBatch']> {
  const isOnce = source.input !== undefined || order.idempotency_key === undefined
  let problem: unknown
  let isRead = false
  async function* pieces() {
    isRead = true
    try {
      yield* readItems(session, source, 'sending')
    } catch (error) {
      problem = error
      throw error
    }
  }
  const send = async (signal?: AbortSignal) => {
    try {
      return await session.api.submitLines(order, ReadableStream.from(pieces()) as Body, signal)
    } catch (error) {
      throw problem ?? error
    }
  }
  try {
    return await session.retrying.retry(send, { mayRetry: () => !isOnce || !isRead })
  } catch (error) {
    throw asSubmitFailure(error, order)
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
  if (error instanceof PerhapsDone && order?.idempotency_key === undefined) {
    const advice = '--idempotency-key makes it safe to repeat; see if there is a run'
    return error.advising(advice, 'assay runs')
  }
  return error
}
