// Turns the rows of a file into the lines of a submission. Guarantee: memory is constant; JSON keeps the exact text it
// has in the file; line n of the file is line n of the submission, so the server's line numbers are the file's. Where a
// file's rows are no lines, as in an array, they are counted instead.

import { type BadLine, describeLines } from '../../json/bad-lines.ts'
import { checkJson, fieldsOf } from '../../json/json.ts'
import { JsonError } from '../../json/json-error.ts'
import { INPUT_LIMITS } from '../../kernel/limits/input.ts'
import { type FileOptions, fileRows, type RowNoun } from './file-rows.ts'
import type { Fields, Row } from './rows.ts'

/** The rows that cannot be items, by their line in the file; a problem at line 0 is about the file. */
export class BadLines extends Error {
  /** A sentence for each problem. */
  readonly named: readonly string[]
  /** The first bad line; null if the file itself is bad. */
  readonly line: number | null

  constructor(file: string, problems: readonly BadLine[], more: boolean, noun: RowNoun = 'line') {
    const whole = problems.find(({ line }) => line === 0)
    const named = whole
      ? [`${file} ${whole.problem}`]
      : [...describeLines(problems, noun), ...(more ? ['and perhaps more'] : [])]
    super(whole ? named[0] : [`${file} holds ${noun}s that cannot be submitted`, ...named].join('\n'))
    this.name = 'BadLines'
    this.named = named
    this.line = problems[0]!.line || null
  }
}

export interface Taking extends FileOptions {
  /** Which rows become items, counted from 0; by default all of them. */
  takes?: ((row: number) => boolean) | undefined
  /** Called with each row that can be an item, and its item_id if a field gives it. */
  seen?: ((row: Row, item_id: string | null) => void) | undefined
}

const MAX_DEPTH = INPUT_LIMITS.json_depth - 1 // the submission line around an input is a level too
/** The most blank lines sent in one piece, since a file may have any number of them. */
const BLANK_LINES = '\n'.repeat(64 * 1024)

/** Yields the request's body in pieces. @throws BadLines */
export function itemLines(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  fields: Fields,
  { takes, seen, written, ...options }: Taking = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let noun: RowNoun = 'line'
  const rows = fileRows(file, chunks, fields, {
    ...options,
    written(writing) {
      if (writing !== 'lines') noun = 'row'
      written?.(writing)
    },
  })
  return linesOfRows(file, rows, fields, { takes, seen, noun: () => noun })
}

interface LinesTaking extends Pick<Taking, 'takes' | 'seen'> {
  /** What rows are counted as, once there is one. */
  noun?: () => RowNoun
}

/** The same for rows from elsewhere; `file` names them in errors. @throws BadLines */
export async function* linesOfRows(
  file: string,
  rows: AsyncIterable<readonly Row[]>,
  fields: Fields,
  { takes = () => true, seen, noun = () => 'line' }: LinesTaking = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const problems: BadLine[] = []
  let next = 1
  let items = 0
  for await (const batch of rows) {
    let piece = ''
    for (const row of batch) {
      const line = 'text' in row ? itemLine(row.text, fields) : row
      if ('problem' in line) problems.push({ line: row.line, problem: line.problem })
      else seen?.(row, line.item_id)
      if ('text' in line && takes(items++)) {
        // Blank lines and rows that are not taken are sent as blank lines.
        for (; row.line - next > BLANK_LINES.length; next += BLANK_LINES.length) {
          yield encoder.encode(piece + BLANK_LINES)
          piece = ''
        }
        piece += '\n'.repeat(row.line - next) + line.text
        next = row.line + 1
      }
      const isLast = 'last' in row
      if (isLast || problems.length >= INPUT_LIMITS.bad_lines_named)
        throw new BadLines(file, problems, true, noun())
    }
    if (problems.length === 0 && piece !== '') yield encoder.encode(piece)
  }
  if (problems.length > 0) throw new BadLines(file, problems, false, noun())
}

type ItemLine = { text: string; item_id: string | null } | { problem: string }

function itemLine(text: string, fields: Fields): ItemLine {
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
  return { text: `{"input":${row}}\n`, item_id: null }
}

function mappedLine(row: string, fields: Fields): ItemLine {
  const values = fieldsOf(row, { depth: MAX_DEPTH })
  const missing = [fields.item_id, fields.partition_key, fields.input].find(
    field => field !== undefined && !values.has(field),
  )
  if (missing !== undefined) return { problem: `has no field "${missing}"` }
  let item_id: string | null = null
  let line = `{"input":${fields.input === undefined ? row : values.get(fields.input)}`
  for (const name of ['item_id', 'partition_key'] as const) {
    const field = fields[name]
    if (field === undefined) continue
    const key = keyOf(values.get(field)!, field)
    if (typeof key === 'object' && key !== null) return key
    if (key === null && name === 'item_id') return { problem: `"${field}" is null; it is to be the item_id` }
    if (name === 'item_id') item_id = key
    if (key === '' && name === 'item_id') return { problem: `"${field}" is empty; it is to be the item_id` }
    // A row with an empty cell there has no partition.
    if (key !== null && key !== '') line += `,"${name}":${JSON.stringify(key)}`
  }
  return { text: `${line}}\n`, item_id }
}

/** A JSON value as a key; null for JSON null. */
function keyOf(raw: string, field: string): string | null | { problem: string } {
  const value: unknown = JSON.parse(raw)
  if (value === null || typeof value === 'string') return value
  // A larger number would lose digits.
  if (Number.isSafeInteger(value)) return String(value)
  return { problem: `"${field}" is neither text nor a whole number below 2^53` }
}
