// Reads and writes Parquet with hyparquet, some rows at a time. Guarantee: numbers keep their digits, times their
// fractions; a value that JSON does not have is refused with its row; of columns without lists and structs only the
// pages of these rows are in memory, however large a row group is.

import { type FileHandle, open } from 'node:fs/promises'
import {
  type AsyncBuffer,
  type ColumnChunk,
  type DecodedArray,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { INPUT_LIMITS } from '../kernel/limits/input.ts'
import { NotText } from '../submission/rules/file-text.ts'
import type { Fields, Row } from '../submission/rules/rows.ts'
import { type Cell, Columns, type TableFound } from '../submission/rules/table-rows.ts'
import { checkFooter, checkMetadata, compressors, Held } from './parquet-bounds.ts'
import { checkNested, type PageSource, pagesOf } from './parquet-pages.ts'
import { Digits, isDecimal, isTime } from './parquet-values.ts'

/** A page may have more, where its values are short or repeat. */
const ROWS_AT_ONCE = 20_000
/** Passed on at once: lines of a whole page would be megabytes of text. */
const ROWS_PASSED = 500
const PIECE_CHARACTERS = 1024 * 1024
const KEPT_BYTES = 32 * 1024 * 1024
/** Of a row's JSON: with a single column as the input, it may be longer than an input. */
const ROW_CHARACTERS = 4 * INPUT_LIMITS.item_input_bytes

/** @throws NotText */
export async function* parquetRows(
  path: string,
  fields: Fields,
  table: ((found: TableFound) => void) | undefined,
): AsyncGenerator<Row[]> {
  await using handle = await open(path)
  const file = bufferOf(handle, (await handle.stat()).size)
  const metadata = await metadataOf(file).catch(unreadable)
  const names = namesOf(metadata)
  const problem = columnProblem(metadata) ?? new Columns(names).problem(fields)
  if (problem !== undefined) return yield [{ line: 0, problem }]
  table?.({ delimiter: null, columns: names, has_index: false })
  for await (const table of tablesOf(file, metadata, names)) {
    for (const piece of pieces(table, names)) yield rowsOf(piece)
  }
}

async function metadataOf(file: AsyncBuffer): Promise<FileMetaData> {
  await checkFooter(file)
  const metadata = await parquetMetadataAsync(file)
  checkMetadata(metadata, file)
  return metadata
}

/** Some rows as the UTF-8 of their texts, on a line each; where a row has none, why. */
interface Piece {
  first: number
  bytes: Uint8Array
  problems: Map<number, string>
}

/**
 * All rows of a table, so that nothing of its pages is needed while they pass: what V8 finds alive twice, it keeps for
 * long. Of values in memory, 1,000,000 rows took 389 MiB. Beyond KEPT_BYTES they pass meanwhile: a dictionary may name one
 * long text any number of times.
 */
function* pieces(table: Table, names: readonly string[]): Generator<Piece> {
  const encoder = new TextEncoder()
  let made: Piece[] = []
  let kept = 0
  for (let from = 0; from < table.length; ) {
    const problems = new Map<number, string>()
    const first = table.first + from
    let text = ''
    let count = 0
    for (; count < ROWS_PASSED && from < table.length && text.length < PIECE_CHARACTERS; count++, from++) {
      try {
        text += `${textOf(names, column => table.columns[column]!(table.first + from))}\n`
      } catch (error) {
        if (!(error instanceof NotJson)) throw error
        problems.set(count, error.message)
        text += '\n'
      }
    }
    made.push({ first, bytes: encoder.encode(text), problems })
    kept += text.length
    if (kept < KEPT_BYTES) continue
    yield* made
    made = []
    kept = 0
  }
  yield* made
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
  const source = { file, schema: parquetSchema(metadata), held: new Held() }
  for (const { columns, num_rows } of metadata.row_groups) {
    const end = begin + Number(num_rows)
    if (end === begin) continue
    source.held.clear()
    const readers = names.map(name => {
      const leaf = columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === name)
      const pages = leaf && pagesOf(source, leaf, EXACT)
      return pages ?? nestedColumn(source, columns, { metadata, name, begin, end })
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
  source: PageSource,
  columns: readonly ColumnChunk[],
  of: { metadata: FileMetaData; name: string; begin: number; end: number },
): AsyncGenerator<DecodedArray> {
  await checkNested(source, columns, of.name)
  const { metadata, name: column, begin: rowStart, end: rowEnd } = of
  const scan = await parquetScan({
    file: source.file,
    metadata,
    compressors,
    parsers: EXACT,
    columns: [column],
  })
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

/** A row's JSON, as far as it may be long: lists may name one long text any number of times. */
class RowText {
  text = ''

  /** @throws NotJson */
  add(part: string, name: string): void {
    this.text += part
    if (this.text.length > ROW_CHARACTERS)
      throw new NotJson(`has over ${ROW_CHARACTERS} characters as JSON, up to "${name}": leave columns out`)
  }
}

function textOf(names: readonly string[], value: (column: number) => unknown): string {
  const row = new RowText()
  for (const [at, name] of names.entries()) {
    row.add(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`, name)
    write(row, value(at), name)
  }
  return `${row.text}}`
}

function write(row: RowText, value: unknown, name: string): void {
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) {
      row.add(at === 0 ? '[' : ',', name)
      write(row, one, name)
    }
    return row.add(value.length === 0 ? '[]' : ']', name)
  }
  const isStruct = typeof value === 'object' && value !== null && !isLeaf(value)
  if (!isStruct) return row.add(leafOf(value, name), name)
  let before = '{'
  for (const [key, one] of Object.entries(value as object)) {
    row.add(`${before}${JSON.stringify(key)}:`, name)
    write(row, one, name)
    before = ','
  }
  row.add(before === '{' ? '{}' : '}', name)
}

const isLeaf = (value: object) =>
  value instanceof Digits || value instanceof Uint8Array || value instanceof Date

function leafOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Digits) return value.json
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new NotJson(`has ${value} in "${name}", which JSON does not have`)
  if (value instanceof Uint8Array) throw new NotJson(`has bytes in "${name}": encode that column as text`)
  return JSON.stringify(value instanceof Date ? value.toISOString() : value)
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
