// Reads the records of a CSV text with csv-parse. Guarantee: memory is bounded by one chunk and one record; a value
// keeps its exact text, including an inch mark inside it; a record's line is the one it begins on.

import { parse } from 'csv-parse'
import { INPUT_LIMITS } from '../../kernel/limits/input.ts'

const DELIMITERS = [',', ';', '\t']
/** The longest first line to wait for; beyond it, the delimiter is chosen by the text so far. */
const HEADER_CHARACTERS = 64 * 1024

export interface CsvRecord {
  /** Counts from 1. */
  line: number
  values: string[]
}

/** The text cannot be read from `line` on. */
export class CsvError extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.name = 'CsvError'
    this.line = line
  }
}

/** Yields the records of each chunk, without blank lines. @throws CsvError */
export async function* csvRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord[]> {
  const decoder = new TextDecoder()
  let reader: Reader | undefined
  let head = ''
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (reader !== undefined) yield await reader.read(text)
    else {
      head += text
      if (head.length < HEADER_CHARACTERS && !head.includes('\n')) continue
      reader = readerOf(head)
      yield await reader.read(head)
    }
  }
  if (reader === undefined) {
    reader = readerOf(head)
    yield await reader.read(head)
  }
  yield await reader.read(decoder.decode())
  yield await reader.end()
}

interface Parsed {
  record: string[]
  info: Place
}

/** The line a record ends on, and how many lines before it were empty. */
interface Place {
  lines: number
  empty_lines: number
}

type Reader = ReturnType<typeof readerOf>

/** Uses only what the parser's streams support in browsers too: they have neither `destroy` nor `for await` there. */
function readerOf(head: string) {
  let last: Place = { lines: 0, empty_lines: 0 }
  let records: CsvRecord[] = []
  const parser = parse({
    delimiter: delimiterOf(head),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: INPUT_LIMITS.item_input_bytes,
    info: true,
    on_record(record, { lines, empty_lines }) {
      last = { lines, empty_lines }
      return record
    },
  })
  // The calls below report errors too, but a stream needs a listener.
  parser.on('error', () => {})
  const take = ({ record, info }: Parsed) =>
    records.push({ line: info.lines - breaksIn(record), values: record })
  const taken = (error: unknown) => {
    if (error) throw asCsvError(error, last)
    const these = records
    records = []
    return these
  }
  const drain = () => {
    for (let next = parser.read(); next !== null; next = parser.read()) take(next)
  }
  return {
    async read(text: string): Promise<CsvRecord[]> {
      if (text === '') return []
      // The parser may have no room for the whole text until some records are read.
      const written = new Promise<unknown>(resolve => parser.write(text, resolve))
      drain()
      const error = await written
      if (!error) drain()
      return taken(error)
    },
    async end(): Promise<CsvRecord[]> {
      const ended = new Promise<unknown>(resolve => {
        parser.once('error', resolve)
        parser.once('end', () => resolve(undefined))
      })
      parser.on('data', take)
      parser.end()
      return taken(await ended)
    },
  }
}

/** The delimiter that occurs most often in the first line. */
function delimiterOf(text: string): string {
  const header = (text.split(/[\r\n]/, 1)[0] ?? '').replace(/"[^"]*"/g, '')
  const count = (delimiter: string) => header.split(delimiter).length
  return DELIMITERS.reduce((best, other) => (count(other) > count(best) ? other : best))
}

const breaksIn = (values: readonly string[]) =>
  values.reduce((sum, value) => sum + (value.match(/\r\n|\n|\r/g)?.length ?? 0), 0)

/** The unreadable text begins after the last record and the empty lines that follow it. */
function asCsvError(error: unknown, last: Place): unknown {
  const { code, message, empty_lines } = error as { code?: string; message: string } & Partial<Place>
  if (!code?.startsWith('CSV_')) return error
  const line = last.lines + 1 + (empty_lines ?? 0) - last.empty_lines
  return new CsvError(line, WORDS[code] ?? message)
}

const WORDS: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_MAX_RECORD_SIZE: `it is longer than ${INPUT_LIMITS.item_input_bytes} bytes`,
}
