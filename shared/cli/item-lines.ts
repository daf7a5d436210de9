// Turns the rows of a JSONL or CSV file into the lines of a submission. Guarantee: constant memory; a row of JSON is
// passed on byte for byte; line n of the file is line n of the submission, so that the server's line numbers are the file's.

import { type BadLine, describeLines } from '../domain/bad-lines.ts'
import { LIMITS } from '../domain/limits.ts'
import { LineError, ndjsonLines } from '../domain/ndjson.ts'
import { csvRows } from './csv-rows.ts'
import { clean } from './format.ts'

export interface Fields {
  /** The row's field that holds its item_id, and its partition_key. */
  item_id?: string | undefined
  partition_key?: string | undefined
}

/** The rows that cannot be items, by their number in the file. */
export class BadLines extends Error {
  constructor(file: string, problems: readonly BadLine[], more: boolean) {
    const named = describeLines(problems, 'line')
    super(
      [`${file} holds lines that cannot be submitted`, ...named, ...(more ? ['and perhaps more'] : [])].join(
        '\n',
      ),
    )
    this.name = 'BadLines'
  }
}

/** A row of a file by the line it begins on: JSON, or why it is none. */
export type Row = { line: number } & ({ text: string } | { problem: string; last?: true })

export interface Taking {
  /** Which rows become items, counted from 0; all of them unless told. */
  takes?: (row: number) => boolean
}

/** Pieces of the request's body. @throws BadLines */
export async function* itemLines(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  fields: Fields,
  { takes = () => true }: Taking = {},
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const problems: BadLine[] = []
  let next = 1
  let items = 0
  for await (const rows of rowsOf(file, chunks, fields)) {
    let piece = ''
    for (const row of rows) {
      const line = 'text' in row ? itemLine(row.text, fields) : row
      if (typeof line !== 'string') problems.push({ line: row.line, problem: line.problem })
      else if (takes(items++)) {
        // Lines that are blank, or not taken, are passed on as blank ones.
        piece += '\n'.repeat(row.line - next) + line
        next = row.line + 1
      }
      const isLast = 'last' in row
      if (isLast || problems.length >= LIMITS.bad_lines_named) throw new BadLines(file, problems, true)
    }
    if (problems.length === 0 && piece !== '') yield encoder.encode(piece)
  }
  if (problems.length > 0) throw new BadLines(file, problems, false)
}

const rowsOf = (file: string, chunks: AsyncIterable<Uint8Array>, fields: Fields): AsyncIterable<Row[]> =>
  /\.(csv|tsv)$/i.test(file) ? csvRows(chunks, fields) : jsonRows(chunks)

async function* jsonRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
  try {
    for await (const { first_line, lines } of ndjsonLines(chunks, LIMITS.item_input_bytes))
      yield lines.map((text, index) => ({ line: first_line + index, text }))
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    yield [{ line: error.line, problem: error.message.replace(/^Line \d+ /, ''), last: true }]
  }
}

function itemLine(row: string, fields: Fields): string | { problem: string } {
  let value: unknown
  try {
    value = JSON.parse(row)
  } catch (error) {
    return { problem: `is not JSON (${clean((error as Error).message)})` }
  }
  let line = `{"input":${row.trim()}`
  for (const name of ['item_id', 'partition_key'] as const) {
    const field = fields[name]
    if (field === undefined) continue
    const key = keyOf(value, field)
    if (typeof key === 'object' && key !== null) return key
    if (key === null && name === 'item_id') return { problem: `"${field}" is null; it is to be the item_id` }
    if (key === '' && name === 'item_id') return { problem: `"${field}" is empty; it is to be the item_id` }
    // What has an empty cell there has no partition.
    if (key !== null && key !== '') line += `,"${name}":${JSON.stringify(key)}`
  }
  return `${line}}\n`
}

/** The field as text; null where the row says so. */
function keyOf(row: unknown, field: string): string | null | { problem: string } {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    return { problem: `is not an object, so it has no field "${field}"` }
  }
  if (!Object.hasOwn(row, field)) return { problem: `has no field "${field}"` }
  const value = (row as Record<string, unknown>)[field]
  if (value === null || typeof value === 'string') return value
  // A longer number would not come out as it was written.
  if (Number.isSafeInteger(value)) return String(value)
  return { problem: `"${field}" is neither text nor a whole number below 2^53` }
}
