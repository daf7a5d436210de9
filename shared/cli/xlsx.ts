// Reads and writes Excel workbooks, row by row. Guarantee: a row is what the sheet shows, in JSON's own types;
// sheets are not chosen silently; what a sheet cannot hold is refused with its row, never cut.

import { writeXlsxStream } from 'hucre/xlsx'
import type { Fields, Row } from '../submission/rules/rows.ts'
import { type Cell, Columns, type TableFound } from '../submission/rules/table-rows.ts'
import { EXIT, Failure } from './failure.ts'
import { sheetCells } from './sheet-cells.ts'
import { broken, openWorkbook, type Sheet, type Workbook } from './workbook.ts'

/** What Excel itself allows. */
const SHEET = { rows: 1_048_576, columns: 16_384, cell_characters: 32_767 }
/** Of a workbook with more, the others count as empty. */
const SHEETS_LOOKED_AT = 50
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
  await using workbook = await openWorkbook(path)
  const chosen = await chosenSheet(path, workbook, sheet)
  let columns: Columns | undefined
  for await (const found of sheetCells(workbook, chosen)) {
    let rows: Row[] = []
    let characters = 0
    for (const { line, cells, problem: wrong } of found) {
      const last = lastFilled(cells)
      if (last === -1 && wrong === undefined) continue
      if (columns === undefined) {
        columns = new Columns(listOf(cells, last + 1).map(cell => (cell === null ? null : String(cell))))
        const problem = wrong ?? columns.problem(fields) ?? spreadProblem(columns)
        if (problem !== undefined) return yield [{ line, problem }]
        table?.({ delimiter: null, columns: columns.named, has_index: columns.hasIndex })
        continue
      }
      const far = last < columns.width + UNNAMED ? undefined : farProblem(last, columns)
      const values = far === undefined ? listOf(cells, Math.max(last + 1, columns.width)) : []
      const problem = wrong ?? far
      const row = columns.row({ line, lines: 1, values, ...(problem && { problem }) })!
      rows.push(row)
      if ('text' in row) characters += row.text.length
      if (characters < PASSED_CHARACTERS) continue
      yield rows
      rows = []
      characters = 0
    }
    yield rows
  }
}

/** Of rows that are passed on together: each has all names of the columns. */
const PASSED_CHARACTERS = 1024 * 1024

/** Columns without a name before one that has one: each row of the sheet is read over all of them. */
const UNNAMED = 1000

type Cells = ReadonlyMap<number, Cell>

const listOf = (cells: Cells, length: number): Cell[] =>
  Array.from({ length }, (_, at) => cells.get(at) ?? null)

function lastFilled(cells: Cells): number {
  let last = -1
  for (const [at, cell] of cells) if (at > last && isFilled(cell)) last = at
  return last
}

const farProblem = (last: number, { width }: Columns): string =>
  `has a value in column ${last + 1}, and the first row names none beyond column ${width}`

function spreadProblem({ width, named }: Columns): string | undefined {
  const unnamed = width - named.length
  if (unnamed <= UNNAMED) return undefined
  return `leaves ${unnamed} columns before its last name without one, and at most ${UNNAMED} may be: move the names together`
}

/** @throws Failure `several_sheets`, `no_sheet` */
async function chosenSheet(path: string, workbook: Workbook, name: string | undefined): Promise<Sheet> {
  const { sheets } = workbook
  const known = `there are: ${sheets
    .slice(0, SHEETS_LOOKED_AT)
    .map(one => one.name)
    .join(', ')}`
  if (name !== undefined) {
    const found = sheets.find(one => one.name === name)
    if (found !== undefined) return found
    throw new Failure(EXIT.usage, 'no_sheet', `${path} has no sheet "${name}"`, { hint: known })
  }
  if (sheets.length === 0) broken(new Error('it has no sheets'))
  const filled: Sheet[] = []
  if (sheets.length > 1)
    for (const one of sheets.slice(0, SHEETS_LOOKED_AT)) if (await hasCells(workbook, one)) filled.push(one)
  if (filled.length > 1)
    throw new Failure(EXIT.usage, 'several_sheets', `${path} has ${filled.length} sheets with rows`, {
      hint: `nothing was sent; --sheet NAME says which one to read; ${known}`,
    })
  return filled[0] ?? sheets[0]!
}

async function hasCells(workbook: Workbook, sheet: Sheet): Promise<boolean> {
  for await (const rows of sheetCells(workbook, sheet))
    if (rows.some(({ cells }) => lastFilled(cells) !== -1)) return true
  return false
}

const isFilled = (value: unknown) => value !== null && value !== undefined && value !== ''

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
