// Reads and writes Parquet with hyparquet, a group of rows at a time. Guarantee: numbers keep their digits, times their
// fractions; a value that JSON does not have is refused with its row.

import {
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  type SchemaElement,
} from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { NotText } from '../submission/rules/file-text.ts'
import type { Fields, Row } from '../submission/rules/rows.ts'
import { type Cell, Columns, type TableFound } from '../submission/rules/table-rows.ts'

/** Read at once; a page of a column is read as a whole. */
const ROWS_AT_ONCE = 20_000
/** A double holds all numbers of so many digits. */
const DOUBLE_DIGITS = 15

/** @throws NotText */
export async function* parquetRows(
  path: string,
  fields: Fields,
  table: ((found: TableFound) => void) | undefined,
): AsyncGenerator<Row[]> {
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file).catch(unreadable)
  const names = namesOf(metadata)
  const problem = columnProblem(metadata) ?? new Columns(names).problem(fields)
  if (problem !== undefined) return yield [{ line: 0, problem }]
  table?.({ delimiter: null, columns: names, has_index: false })
  const scales = new Map(
    metadata.schema.map(({ name, converted_type, scale }) => [
      name,
      converted_type === 'DECIMAL' ? (scale ?? 0) : undefined,
    ]),
  )
  const total = Number(metadata.num_rows)
  for (let rowStart = 0; rowStart < total; rowStart += ROWS_AT_ONCE) {
    const rowEnd = Math.min(total, rowStart + ROWS_AT_ONCE)
    let found: Record<string, unknown>[] = []
    await parquetRead({
      file,
      metadata,
      rowStart,
      rowEnd,
      rowFormat: 'object',
      compressors,
      parsers: EXACT,
      useOffsetIndex: true,
      onComplete(rows) {
        found = rows
      },
    }).catch(unreadable)
    yield found.map((row, at) => rowOf(row, rowStart + at + 1, scales))
  }
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

function columnProblem({ schema }: FileMetaData): string | undefined {
  const long = schema.find(
    ({ converted_type, precision }) => converted_type === 'DECIMAL' && (precision ?? 0) > DOUBLE_DIGITS,
  )
  return long && `has decimals of ${long.precision} digits in "${long.name}": cast that column to text`
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

function rowOf(
  row: Record<string, unknown>,
  line: number,
  scales: ReadonlyMap<string, number | undefined>,
): Row {
  try {
    const members = Object.entries(row).map(([name, value]) => {
      const scale = scales.get(name)
      const exact = scale !== undefined && typeof value === 'number' ? Number(value.toFixed(scale)) : value
      return `${JSON.stringify(name)}:${jsonOf(exact, name)}`
    })
    return { line, text: `{${members.join()}}` }
  } catch (error) {
    if (error instanceof NotJson) return { line, problem: error.message }
    throw error
  }
}

function jsonOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'bigint') return String(value)
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
