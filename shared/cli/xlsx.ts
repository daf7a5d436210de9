// Reads and writes Excel workbooks with hucre, row by row. Guarantee: a row is what the sheet shows, in JSON's own types;
// sheets are not chosen silently; what a sheet cannot hold is refused with its row, never cut.

import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { type StreamRow, streamXlsxRows, writeXlsxStream } from 'hucre/xlsx'
import { NotText } from '../submission/rules/file-text.ts'
import type { Fields, Row } from '../submission/rules/rows.ts'
import { type Cell, Columns, type TableFound } from '../submission/rules/table-rows.ts'
import { EXIT, Failure } from './failure.ts'
import { sheetNames } from './sheet-names.ts'

const ROWS_AT_ONCE = 500
/** What Excel itself allows. */
const SHEET = { rows: 1_048_576, columns: 16_384, cell_characters: 32_767 }
/** Of a workbook with more, the others count as empty. */
const SHEETS_LOOKED_AT = 50
/** Excel counts days from here; times of no day are on it. */
const FIRST_DAY_MS = Date.UTC(1900, 0, 1)

export interface SheetChoice {
  sheet?: string | undefined
  table?: ((found: TableFound) => void) | undefined
}

/** The rows of a sheet below the names in its first row. @throws NotText */
export async function* sheetRows(
  path: string,
  fields: Fields,
  { sheet, table }: SheetChoice,
): AsyncGenerator<Row[]> {
  const place = await placeOf(path, sheet)
  let columns: Columns | undefined
  let rows: Row[] = []
  for await (const { index, values } of readSheet(path, place)) {
    const cells = values.map(cellOf)
    if (!cells.some(isFilled)) continue
    const line = index + 1
    if (columns === undefined) {
      columns = new Columns(cells.map(cell => (cell === null ? null : String(cell))))
      const problem = columns.problem(fields)
      if (problem !== undefined) return yield [{ line, problem }]
      table?.({ delimiter: null, columns: columns.named, has_index: columns.hasIndex })
      continue
    }
    while (cells.length < columns.width) cells.push(null)
    rows.push(columns.row({ line, lines: 1, values: cells })!)
    if (rows.length < ROWS_AT_ONCE) continue
    yield rows
    rows = []
  }
  yield rows
}

async function* readSheet(path: string, sheet: number, maxRows?: number): AsyncGenerator<StreamRow> {
  const file = createReadStream(path)
  try {
    const bytes = Readable.toWeb(file) as ReadableStream<Uint8Array>
    yield* streamXlsxRows(bytes, { sheet, ...(maxRows !== undefined && { maxRows }) })
  } catch (error) {
    throw new NotText(`is no Excel workbook that can be read (${(error as Error).message}): save it as CSV`)
  } finally {
    file.destroy()
  }
}

/** The place of the sheet to read. @throws Failure `several_sheets`, `no_sheet` */
async function placeOf(path: string, sheet: string | undefined): Promise<number> {
  const names = await sheetNames(path)
  const known = `there are: ${names.slice(0, SHEETS_LOOKED_AT).join(', ')}`
  if (sheet !== undefined) {
    const place = names.indexOf(sheet)
    if (place >= 0) return place
    throw new Failure(EXIT.usage, 'no_sheet', `${path} has no sheet "${sheet}"`, { hint: known })
  }
  const filled: number[] = []
  for (let place = 0; names.length > 1 && place < Math.min(names.length, SHEETS_LOOKED_AT); place++)
    for await (const { values } of readSheet(path, place, 1)) if (values.some(isFilled)) filled.push(place)
  if (filled.length > 1)
    throw new Failure(EXIT.usage, 'several_sheets', `${path} has ${filled.length} sheets with rows`, {
      hint: `nothing was sent; --sheet NAME says which one to read; ${known}`,
    })
  return filled[0] ?? 0
}

const isFilled = (value: unknown) => value !== null && value !== undefined && value !== ''

/** A cell as JSON has it; dates have no zone, as in the sheet. */
function cellOf(value: unknown): Cell {
  if (value instanceof Date) return dateText(value)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

function dateText(date: Date): string {
  const [day = '', time = ''] = date
    .toISOString()
    .replace(/(\.000)?Z$/, '')
    .split('T')
  if (date.getTime() < FIRST_DAY_MS) return time
  return time === '00:00:00' ? day : `${day}T${time}`
}

/** A workbook of one sheet. @throws Failure for what a sheet cannot hold */
export function sheetOf(names: readonly string[], rows: AsyncIterable<Cell[]>): AsyncIterable<Uint8Array> {
  if (names.length > SHEET.columns) throw tooLarge(`${names.length} columns`, `${SHEET.columns} columns`)
  let failure: unknown
  async function* checked() {
    let row = 1
    try {
      for await (const cells of rows) {
        row++
        if (row > SHEET.rows) throw tooLarge(`row ${row}`, `${SHEET.rows} rows`)
        for (const [at, cell] of cells.entries())
          if (typeof cell === 'string' && cell.length > SHEET.cell_characters)
            throw tooLarge(
              `row ${row} has ${cell.length} characters in "${names[at]}"`,
              `${SHEET.cell_characters} characters in a cell`,
            )
        yield cells
      }
    } catch (error) {
      failure = error
      throw error
    }
  }
  async function* bytes() {
    try {
      yield* writeXlsxStream(checked(), { name: 'Results', columns: names.map(header => ({ header })) })
    } catch (error) {
      throw failure ?? error
    }
  }
  return bytes()
}

const tooLarge = (what: string, most: string) =>
  new Failure(EXIT.usage, 'format_limit', `${what}, and a sheet of Excel holds at most ${most}`, {
    hint: 'nothing was written; write CSV, NDJSON or Parquet, or fewer --fields',
  })
