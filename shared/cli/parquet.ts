// Reads and writes Parquet with hyparquet, some rows at a time. Guarantee: numbers keep their digits, times their
// fractions; a value that JSON does not have is refused with its row; of columns without lists and structs only the
// pages of these rows are in memory, however large a row group is.

import { type FileHandle, open } from 'node:fs/promises'
import {
  type AsyncBuffer,
  type DecodedArray,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  type SchemaElement,
} from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { NotText } from '../submission/rules/file-text.ts'
import type { Fields, Row } from '../submission/rules/rows.ts'
import { type Cell, Columns, type TableFound } from '../submission/rules/table-rows.ts'
import { pagesOf } from './parquet-pages.ts'
import { Digits, isDecimal, isTime } from './parquet-values.ts'

/** A page may have more, where its values are short or repeat. */
const ROWS_AT_ONCE = 20_000
/** Passed on at once: lines of a whole page would be megabytes of text. */
const ROWS_PASSED = 500
/** @throws NotText */
export async function* parquetRows(
  path: string,
  fields: Fields,
  table: ((found: TableFound) => void) | undefined,
): AsyncGenerator<Row[]> {
  await using handle = await open(path)
  const file = bufferOf(handle, (await handle.stat()).size)
  const metadata = await parquetMetadataAsync(file).catch(unreadable)
  const names = namesOf(metadata)
  const problem = columnProblem(metadata) ?? new Columns(names).problem(fields)
  if (problem !== undefined) return yield [{ line: 0, problem }]
  table?.({ delimiter: null, columns: names, has_index: false })
  for await (const table of tablesOf(file, metadata, names)) {
    const kept = pieces(table, names)
    for (const piece of kept) yield rowsOf(piece)
  }
}

/** Some rows as the UTF-8 of their texts, on a line each; where a row has none, why. */
interface Piece {
  first: number
  bytes: Uint8Array
  problems: Map<number, string>
}

/**
 * All rows of a table, so that nothing of its pages is needed while they pass: what V8 finds alive twice, it keeps for
 * long. Of values in memory, 1,000,000 rows took 389 MiB.
 */
function pieces(table: Table, names: readonly string[]): Piece[] {
  const encoder = new TextEncoder()
  const made: Piece[] = []
  for (let from = 0; from < table.length; from += ROWS_PASSED) {
    const problems = new Map<number, string>()
    let text = ''
    for (let at = from; at < Math.min(table.length, from + ROWS_PASSED); at++) {
      try {
        text += `${textOf(names, column => table.columns[column]!(table.first + at))}\n`
      } catch (error) {
        if (!(error instanceof NotJson)) throw error
        problems.set(at - from, error.message)
        text += '\n'
      }
    }
    made.push({ first: table.first + from, bytes: encoder.encode(text), problems })
  }
  return made
}

function rowsOf({ first, bytes, problems }: Piece): Row[] {
  const texts = new TextDecoder().decode(bytes).split('\n')
  texts.pop()
  return texts.map((text, at) => {
    const [line, problem] = [first + at + 1, problems.get(at)]
    return problem === undefined ? { line, text } : { line, problem }
  })
}

const bufferOf = (file: FileHandle, byteLength: number): AsyncBuffer => ({
  byteLength,
  async slice(start, end = byteLength) {
    const bytes = new Uint8Array(Math.max(0, end - start))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    if (bytesRead < bytes.length) throw new Error('it ends too early')
    return bytes.buffer
  },
})

interface Table {
  /** The row before its first. */
  first: number
  /** The values of each column. */
  columns: ((row: number) => unknown)[]
  length: number
}

/** Rows whose pages are decoded, some at a time. @throws NotText */
async function* tablesOf(
  file: AsyncBuffer,
  metadata: FileMetaData,
  names: readonly string[],
): AsyncGenerator<Table> {
  let begin = 0
  for (const { columns, num_rows } of metadata.row_groups) {
    const end = begin + Number(num_rows)
    const readers = names.map(name => {
      const leaf = columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === name)
      const pages = leaf && pagesOf(file, metadata, leaf, EXACT)
      return pages ?? nestedColumn(file, metadata, name, begin, end)
    })
    const decoded = readers.map(() => ({ first: begin, end: begin, values: [] as DecodedArray }))
    for (let row = begin; row < end; ) {
      for (const [at, reader] of readers.entries())
        while (row >= decoded[at]!.end) {
          const { value } = await reader.next().catch(unreadable)
          if (value === undefined) unreadable(new Error(`"${names[at]}" has too few values`))
          const first = decoded[at]!.end
          decoded[at] = { first, end: first + value.length, values: value }
        }
      const next = Math.min(end, row + ROWS_AT_ONCE, ...decoded.map(({ end }) => end))
      const columns = decoded.map(
        ({ first, values }) =>
          (at: number) =>
            values[at - first],
      )
      yield { first: row, columns, length: next - row }
      row = next
    }
    begin = end
  }
}

/** A column with lists or structs, whose row group is decoded at once. */
async function* nestedColumn(
  file: AsyncBuffer,
  metadata: FileMetaData,
  column: string,
  rowStart: number,
  rowEnd: number,
): AsyncGenerator<DecodedArray> {
  const scan = await parquetScan({ file, metadata, compressors, parsers: EXACT, columns: [column] })
  yield await scan.readColumn({ column, rowStart, rowEnd })
}

const unreadable = (error: Error): never => {
  throw new NotText(
    `is no Parquet file that can be read (${error.message}): write it again, or save it as CSV`,
  )
}

/** The names of the columns, which stand below the first element. */
function namesOf({ schema }: FileMetaData): string[] {
  const names: string[] = []
  for (let at = 1; at < schema.length; at = behind(schema, at)) names.push(schema[at]!.name)
  return names
}

function behind(schema: readonly SchemaElement[], at: number): number {
  let next = at + 1
  for (let child = 0; child < (schema[at]!.num_children ?? 0); child++) next = behind(schema, next)
  return next
}

/** Within lists and structs, hyparquet makes doubles of decimals and counts of times. */
function columnProblem({ schema }: FileMetaData): string | undefined {
  for (let at = 1; at < schema.length; at = behind(schema, at)) {
    const inner = schema.slice(at + 1, behind(schema, at))
    const wrong = inner.find(element => isDecimal(element) || isTime(element))
    if (wrong !== undefined)
      return `has ${isTime(wrong) ? 'times' : 'decimals'} within "${schema[at]!.name}": cast them to text`
  }
  return undefined
}

/** A fraction of a second, with as many digits as it needs. */
function instant(units: bigint, perSecond: bigint): string {
  const second = (units - (((units % perSecond) + perSecond) % perSecond)) / perSecond
  const rest = units - second * perSecond
  const digits = String(rest)
    .padStart(String(perSecond).length - 1, '0')
    .replace(/0+$/, '')
  const text = new Date(Number(second) * 1000).toISOString().replace('.000Z', '')
  return `${text}${digits === '' ? '' : `.${digits}`}Z`
}

const EXACT = {
  timestampFromMilliseconds: (units: bigint) => instant(units, 1000n),
  timestampFromMicroseconds: (units: bigint) => instant(units, 1_000_000n),
  timestampFromNanoseconds: (units: bigint) => instant(units, 1_000_000_000n),
  dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10),
}

class NotJson extends Error {}

const textOf = (names: readonly string[], value: (column: number) => unknown): string =>
  `{${names.map((name, at) => `${JSON.stringify(name)}:${jsonOf(value(at), name)}`).join()}}`

function jsonOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Digits) return value.json
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new NotJson(`has ${value} in "${name}", which JSON does not have`)
  if (value instanceof Uint8Array) throw new NotJson(`has bytes in "${name}": encode that column as text`)
  if (value instanceof Date) return JSON.stringify(value.toISOString())
  if (Array.isArray(value)) return `[${value.map(one => jsonOf(one, name)).join()}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}:${jsonOf(one, name)}`)
    .join()}}`
}

export type ParquetType = 'text' | 'number' | 'whole' | 'boolean'

/** Rows of a group are in memory at once. */
const GROUP = { rows: 20_000, characters: 8 * 1024 * 1024 }

/** A file of these columns. */
export async function* parquetOf(
  columns: readonly { name: string; type: ParquetType }[],
  rows: AsyncIterable<Cell[]>,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({ writer: bytes, schema: schemaOf(columns) })
  /** What was written so far; only its place in the file stays with the writer. */
  const taken = () => {
    const part = bytes.getBytes().slice()
    bytes.index = 0
    return part
  }
  let group: Cell[][] = []
  let characters = 0
  const flush = () =>
    writer.write({
      columnData: columns.map(({ name }, at) => ({ name, data: group.map(row => row[at] ?? null) })),
      rowGroupSize: GROUP.rows,
    })
  for await (const row of rows) {
    group.push(row)
    for (const cell of row) if (typeof cell === 'string') characters += cell.length
    if (group.length < GROUP.rows && characters < GROUP.characters) continue
    flush()
    yield taken()
    group = []
    characters = 0
  }
  if (group.length > 0) flush()
  writer.finish()
  yield taken()
}

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'DOUBLE' },
  whole: { type: 'INT32' },
  boolean: { type: 'BOOLEAN' },
} as const

const schemaOf = (columns: readonly { name: string; type: ParquetType }[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...TYPES[type] })),
]
