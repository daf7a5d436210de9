// The rows of a CSV file as JSON objects, by the names in its first line. Guarantee: constant memory; every value is
// the text that stands there; a row that cannot be read is named by the line it begins on.

import { Readable } from 'node:stream'
import { CsvError, type Info, parse } from 'csv-parse'
import { LIMITS } from '../domain/limits.ts'
import type { Fields, Row } from './item-lines.ts'

const ROWS_AT_ONCE = 500
const DELIMITERS = [',', ';', '\t']
/** What a first line may be long; beyond it, its delimiter is judged by what came so far. */
const HEADER_BYTES = 64 * 1024

interface Read {
  record: string[]
  info: Pick<Info, 'lines'>
}

export async function* csvRows(chunks: AsyncIterable<Uint8Array>, fields: Fields): AsyncGenerator<Row[]> {
  const { delimiter, all } = await peek(chunks)
  // Of rows that were read, not only of those that came out: the ones between are lost where it fails.
  let seen = 0
  const parser = parse({
    on_record: (record, { lines }) => {
      seen = lines
      return record
    },
    ...{ delimiter, bom: true, info: true, skip_empty_lines: true, relax_column_count: true },
    max_record_size: LIMITS.item_input_bytes,
  })
  const source = Readable.from(all).on('error', error => parser.destroy(error))
  source.pipe(parser)
  let header: string[] | undefined
  let rows: Row[] = []
  try {
    for await (const { record, info } of parser as AsyncIterable<Read>) {
      const line = info.lines - breaksIn(record)
      if (header === undefined) {
        header = record.map(name => name.trim())
        const problem = headerProblem(header, fields)
        if (problem !== undefined) return yield [{ line, problem }]
        continue
      }
      rows.push({ line, ...rowOf(header, record) })
      if (rows.length < ROWS_AT_ONCE) continue
      yield rows
      rows = []
    }
    if (rows.length > 0) yield rows
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (rows.length > 0) yield rows
    yield [
      {
        line: seen + 1,
        problem: `cannot be read as CSV, nor what follows: ${wordsOf(error)}`,
        last: true,
      },
    ]
  } finally {
    source.destroy()
  }
}

function rowOf(header: readonly string[], record: readonly string[]): { text: string } | { problem: string } {
  if (record.length !== header.length)
    return { problem: `has ${record.length} fields; the first line names ${header.length}` }
  if (record.some(value => value.includes('\ufffd')))
    return { problem: 'is not UTF-8: save the file as UTF-8' }
  return { text: JSON.stringify(Object.fromEntries(header.map((name, at) => [name, record[at]]))) }
}

function headerProblem(header: readonly string[], fields: Fields): string | undefined {
  const twice = header.find((name, at) => header.indexOf(name) !== at)
  if (header.includes('')) return 'names no field in one of its columns; the first line is to name them all'
  if (twice !== undefined) return `names "${twice}" twice`
  const missing = [fields.item_id, fields.partition_key].find(
    field => field !== undefined && !header.includes(field),
  )
  return missing === undefined
    ? undefined
    : `names no field "${missing}"; there are: ${header.slice(0, 20).join(', ')}`
}

const wordsOf = ({ code, message }: CsvError) =>
  code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a quote is opened and never closed'
    : message.replace(/ at line \d+.*$/, '')

const breaksIn = (record: readonly string[]) =>
  record.reduce((sum, value) => sum + (value.match(/\r\n|\n|\r/g)?.length ?? 0), 0)

/** The delimiter that the first line has most of, and all of the file again. */
async function peek(chunks: AsyncIterable<Uint8Array>) {
  const source = chunks[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let text = ''
  const decoder = new TextDecoder()
  while (!text.includes('\n') && text.length < HEADER_BYTES) {
    const { value, done } = await source.next()
    if (done) break
    first.push(value)
    text += decoder.decode(value, { stream: true })
  }
  const header = (text.split('\n')[0] ?? '').replace(/"[^"]*"/g, '')
  const count = (delimiter: string) => header.split(delimiter).length
  const delimiter = DELIMITERS.reduce((best, other) => (count(other) > count(best) ? other : best))
  async function* all() {
    yield* first
    for (;;) {
      const { value, done } = await source.next()
      if (done) return
      yield value
    }
  }
  return { delimiter, all: all() }
}
