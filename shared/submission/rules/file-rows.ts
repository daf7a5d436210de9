// Reads the rows of a file, whatever it is written in: a table, JSON lines, JSON arrays, JSON values on any number of
// lines, packed or not. Guarantee: memory is bounded by one chunk and one row; where its name and its content disagree,
// the content decides; what is read in no way is refused by its name.

import { JsonValuesError, type JsonWriting, jsonValues, writingOf } from '../../json/json-values.ts'
import { LineError, ndjsonLines, oneLine } from '../../json/ndjson.ts'
import { INPUT_LIMITS } from '../../kernel/limits/input.ts'
import { NotText, peeked, type Unpack, utf8Of } from './file-text.ts'
import type { Fields, Row } from './rows.ts'
import { csvRows, type TableOptions } from './table-rows.ts'

export type FileFormat = 'csv' | 'ndjson' | 'json'

/** What counts the rows of an error: lines of the file, or the values themselves. */
export type RowNoun = 'line' | 'row'

export interface FileOptions extends TableOptions {
  /** How the text is written; by default its name and its beginning decide. */
  format?: FileFormat | undefined
  unpack?: Unpack | undefined
  /** The longest row. */
  max_bytes?: number | undefined
  /** Called with how the rows of JSON are written, before the first. */
  written?: ((writing: JsonWriting) => void) | undefined
}

const MAX_BYTES = INPUT_LIMITS.item_input_bytes
const LF = 0x0a

/** A file that cannot be read at all is one problem at line 0. */
export async function* fileRows(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  fields: Fields,
  { format, unpack, written, max_bytes = MAX_BYTES, ...table }: FileOptions = {},
): AsyncGenerator<Row[]> {
  try {
    const text = utf8Of(chunks, unpack)
    if (format === 'csv') return yield* csvRows(text, fields, table)
    if (format !== undefined) return yield* jsonRows(text, format === 'json' ? 'array' : 'lines', max_bytes)
    const named = nameOf(name)
    const { head, all } = await peeked(text, isDecided)
    const start = new TextDecoder().decode(head)
    if (named.isTable ? !isJson(start) : named.isOpen && formatOfText(start) === 'csv')
      return yield* csvRows(all, fields, { tabs: named.hasTabs, ...table })
    const writing = writingOf(start, true)!
    written?.(writing)
    const rows = jsonRows(all, writing, max_bytes)
    yield* named.isJson ? notWrapped(rows, start) : rows
  } catch (error) {
    if (!(error instanceof NotText)) throw error
    yield [{ line: 0, problem: error.message, last: true }]
  }
}

/** What a file's name says of its content, without the endings of packed files. */
function nameOf(name: string) {
  const [, ending = ''] = /\.([a-z]+)$/.exec(name.toLowerCase().replace(/\.(gz|gzip|zst|zstd)$/, '')) ?? []
  const isTable = ['csv', 'tsv', 'tab', 'psv'].includes(ending)
  const isLines = ['jsonl', 'ndjson'].includes(ending)
  const isJson = ending === 'json'
  return {
    isTable,
    isJson,
    isOpen: !isTable && !isLines && !isJson,
    hasTabs: ['tsv', 'tab'].includes(ending),
  }
}

/** Whether enough is known to say how a text is written. */
const isDecided = (head: Uint8Array): boolean =>
  head.length >= MAX_BYTES ||
  (head.includes(LF) && writingOf(new TextDecoder().decode(head), false) !== undefined)

/** Whether a text begins with a JSON object, or an array of values, as no first line of a table does. */
const isJson = (head: string): boolean => /^[\s\ufeff]*(\{\s*["}]|\[\s*[[{"\]\d])/.test(head)

/** Guesses the format from the beginning of a text: NDJSON begins with a line of JSON. */
export function formatOfText(head: string): 'csv' | 'ndjson' {
  const [line = ''] = head
    .replace(/^\ufeff/, '')
    .trimStart()
    .split(/\r?\n/, 1)
  try {
    JSON.parse(line)
    return 'ndjson'
  } catch {
    // A broken object is reported as such, not as a table with odd names.
    return /^[{[]/.test(line) ? 'ndjson' : 'csv'
  }
}

/** Yields the values of a JSON text. */
export async function* jsonRows(
  chunks: AsyncIterable<Uint8Array>,
  writing: JsonWriting = 'lines',
  maxBytes: number = MAX_BYTES,
): AsyncGenerator<Row[]> {
  try {
    if (writing !== 'lines') {
      for await (const rows of jsonValues(chunks, writing, maxBytes))
        yield rows.map(({ line, text }) => ({ line, text: oneLine(text) }))
      return
    }
    for await (const { first_line, lines } of ndjsonLines(chunks, maxBytes))
      yield lines.map((text, index) => ({ line: first_line + index, text }))
  } catch (error) {
    if (error instanceof JsonValuesError) yield [{ line: error.row ?? 0, problem: error.message, last: true }]
    else if (error instanceof LineError)
      yield [{ line: error.line, problem: error.message.replace(/^Line \d+ /, ''), last: true }]
    else throw error
  }
}

/** An array of objects under one of the names that exports use for their rows. */
const WRAPPED = /"(data|items|records|results|rows|values?)"\s*:\s*\[\s*[[{]/
/** What pandas writes unless it is asked for records: each column as an object, by row. */
const BY_COLUMN = /^[\s\ufeff]*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"0"\s*:/

const ONE_ITEM = 'what is one item stands on a line of a .jsonl file'

/** Refuses a single object around the rows: as one item, all of them would be one input. */
async function* notWrapped(rows: AsyncIterable<Row[]>, head: string): AsyncGenerator<Row[]> {
  const [, name] = (/^[\s\ufeff]*\{/.test(head) && WRAPPED.exec(head)) || []
  const isByColumn = BY_COLUMN.test(head)
  if (name === undefined && !isByColumn) return yield* rows
  let first: Row | undefined
  for await (const some of rows) {
    const all = first === undefined ? some : [first, ...some]
    first = undefined
    if (all.length > 1) yield all
    else first = all[0]
    if (first !== undefined && 'last' in first) break
  }
  if (first === undefined) return
  if (isByColumn)
    return yield [
      {
        line: first.line,
        problem: `is one JSON object with a table by its columns: write its rows, with pandas by to_json(orient='records', lines=True); ${ONE_ITEM}`,
      },
    ]
  const problem = `is one JSON object whose "${name}" holds the rows: submit these alone, such as jq -c '.${name}[]' makes them; ${ONE_ITEM}`
  yield [{ line: first.line, problem }]
}
