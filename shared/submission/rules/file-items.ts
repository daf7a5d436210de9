// Turns the rows of a JSONL or CSV file into the lines of a submission. Guarantee: memory is constant; JSON keeps the
// exact text it has in the file; line n of the file is line n of the submission, so the server's line numbers are the
// file's.

import { type BadLine, describeLines } from '../../json/bad-lines.ts'
import { checkJson, fieldsOf } from '../../json/json.ts'
import { JsonError } from '../../json/json-error.ts'
import { LineError, ndjsonLines } from '../../json/ndjson.ts'
import { INPUT_LIMITS } from '../../kernel/limits/input.ts'
import { CsvError, csvRecords } from './csv.ts'

/** Which fields of a row become parts of its item. */
export interface Fields {
  /** The fields that hold its item_id and its partition_key. */
  item_id?: string | undefined
  partition_key?: string | undefined
  /** The field that is its input; by default the whole row. */
  input?: string | undefined
}

/** The rows that cannot be items, by their line in the file. */
export class BadLines extends Error {
  /** A sentence for each problem. */
  readonly named: readonly string[]
  /** The first bad line. */
  readonly line: number

  constructor(file: string, problems: readonly BadLine[], more: boolean) {
    const named = [...describeLines(problems, 'line'), ...(more ? ['and perhaps more'] : [])]
    super([`${file} holds lines that cannot be submitted`, ...named].join('\n'))
    this.name = 'BadLines'
    this.named = named
    this.line = problems[0]!.line
  }
}

/** A row of a file with the line it begins on: its JSON text, or why it has none. */
export type Row = { line: number } & ({ text: string } | { problem: string; last?: true })

export interface Taking {
  /** Which rows become items, counted from 0; by default all of them. */
  takes?: (row: number) => boolean
  /** The format of the text; by default the file's name decides. */
  format?: FileFormat
}

export type FileFormat = 'csv' | 'ndjson'

const MAX_DEPTH = INPUT_LIMITS.json_depth - 1 // the submission line around an input is a level too
const HEADER_NAMED = 20
/** The most blank lines sent in one piece, since a file may have any number of them. */
const BLANK_LINES = '\n'.repeat(64 * 1024)

const formatOf = (file: string): FileFormat => (/\.(csv|tsv)$/i.test(file) ? 'csv' : 'ndjson')

/** Guesses the format from the beginning of a text: NDJSON begins with a line of JSON. */
export function formatOfText(head: string): FileFormat {
  const [line = ''] = head.trimStart().split(/\r?\n/, 1)
  try {
    JSON.parse(line)
    return 'ndjson'
  } catch {
    // A broken object is reported as such, not as a table with odd names.
    return /^[{[]/.test(line) ? 'ndjson' : 'csv'
  }
}

/** Yields the request's body in pieces. @throws BadLines */
export const itemLines = (
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  fields: Fields,
  { format = formatOf(file), ...taking }: Taking = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> =>
  linesOfRows(file, format === 'csv' ? csvRows(chunks, fields) : jsonRows(chunks), fields, taking)

/** The same for rows from elsewhere; `file` names them in errors. @throws BadLines */
export async function* linesOfRows(
  file: string,
  rows: AsyncIterable<readonly Row[]>,
  fields: Fields,
  { takes = () => true }: Taking = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const problems: BadLine[] = []
  let next = 1
  let items = 0
  for await (const batch of rows) {
    let piece = ''
    for (const row of batch) {
      const line = 'text' in row ? itemLine(row.text, fields) : row
      if (typeof line !== 'string') problems.push({ line: row.line, problem: line.problem })
      else if (takes(items++)) {
        // Blank lines and rows that are not taken are sent as blank lines.
        for (; row.line - next > BLANK_LINES.length; next += BLANK_LINES.length) {
          yield encoder.encode(piece + BLANK_LINES)
          piece = ''
        }
        piece += '\n'.repeat(row.line - next) + line
        next = row.line + 1
      }
      const isLast = 'last' in row
      if (isLast || problems.length >= INPUT_LIMITS.bad_lines_named) throw new BadLines(file, problems, true)
    }
    if (problems.length === 0 && piece !== '') yield encoder.encode(piece)
  }
  if (problems.length > 0) throw new BadLines(file, problems, false)
}

/** Yields rows of one JSON value a line. */
export async function* jsonRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
  try {
    for await (const { first_line, lines } of ndjsonLines(chunks, INPUT_LIMITS.item_input_bytes))
      yield lines.map((text, index) => ({ line: first_line + index, text }))
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    yield [{ line: error.line, problem: error.message.replace(/^Line \d+ /, ''), last: true }]
  }
}

/** Yields CSV rows as JSON objects with the names in the first line. */
export async function* csvRows(chunks: AsyncIterable<Uint8Array>, fields: Fields): AsyncGenerator<Row[]> {
  let header: string[] | undefined
  try {
    for await (const records of csvRecords(chunks)) {
      if (header === undefined) {
        const first = records.shift()
        if (first === undefined) continue // its first line has not ended yet
        header = first.values.map(name => name.trim())
        const problem = headerProblem(header, fields)
        if (problem !== undefined) return yield [{ line: first.line, problem }]
      }
      const names = header
      yield records.map(({ line, values }) => ({ line, ...rowOf(names, values) }))
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const problem = `cannot be read as CSV, nor what follows: ${error.message}`
    yield [{ line: error.line, problem, last: true }]
  }
}

function rowOf(header: readonly string[], values: readonly string[]): { text: string } | { problem: string } {
  if (values.length !== header.length)
    return { problem: `has ${values.length} fields; the first line names ${header.length}` }
  if (values.some(value => value.includes('\ufffd')))
    return { problem: 'is not UTF-8: save the file as UTF-8' }
  return { text: JSON.stringify(Object.fromEntries(header.map((name, at) => [name, values[at]]))) }
}

function headerProblem(header: readonly string[], fields: Fields): string | undefined {
  const seen = new Set<string>()
  const twice = header.find(name => seen.has(name) || !seen.add(name))
  if (header.includes('')) return 'names no field in one of its columns; the first line is to name them all'
  if (twice !== undefined) return `names "${twice}" twice`
  const missing = Object.values(fields).find(field => field !== undefined && !header.includes(field))
  return missing === undefined
    ? undefined
    : `names no field "${missing}"; there are: ${header.slice(0, HEADER_NAMED).join(', ')}`
}

function itemLine(text: string, fields: Fields): string | { problem: string } {
  const row = text.trim()
  const field = fields.item_id ?? fields.partition_key ?? fields.input
  try {
    if (field !== undefined && row.startsWith('{')) return mappedLine(row, fields)
    checkJson(row, { depth: MAX_DEPTH })
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const words = error.message
      .replace(' at line 1, column', ' at column')
      .replace('; send valid JSON (RFC 8259)', '')
    return { problem: `${error.code === 'invalid_json' ? 'is not JSON' : 'cannot be taken'} (${words})` }
  }
  if (field !== undefined) return { problem: `is not an object, so it has no field "${field}"` }
  return `{"input":${row}}\n`
}

function mappedLine(row: string, fields: Fields): string | { problem: string } {
  const values = fieldsOf(row, { depth: MAX_DEPTH })
  const missing = [fields.item_id, fields.partition_key, fields.input].find(
    field => field !== undefined && !values.has(field),
  )
  if (missing !== undefined) return { problem: `has no field "${missing}"` }
  let line = `{"input":${fields.input === undefined ? row : values.get(fields.input)}`
  for (const name of ['item_id', 'partition_key'] as const) {
    const field = fields[name]
    if (field === undefined) continue
    const key = keyOf(values.get(field)!, field)
    if (typeof key === 'object' && key !== null) return key
    if (key === null && name === 'item_id') return { problem: `"${field}" is null; it is to be the item_id` }
    if (key === '' && name === 'item_id') return { problem: `"${field}" is empty; it is to be the item_id` }
    // A row with an empty cell there has no partition.
    if (key !== null && key !== '') line += `,"${name}":${JSON.stringify(key)}`
  }
  return `${line}}\n`
}

/** A JSON value as a key; null for JSON null. */
function keyOf(raw: string, field: string): string | null | { problem: string } {
  const value: unknown = JSON.parse(raw)
  if (value === null || typeof value === 'string') return value
  // A larger number would lose digits.
  if (Number.isSafeInteger(value)) return String(value)
  return { problem: `"${field}" is neither text nor a whole number below 2^53` }
}
