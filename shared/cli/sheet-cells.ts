// Reads the cells of a sheet while it is unpacked. Guarantee: a cell is what the sheet shows, in JSON's own types, dates
// without a zone; one chunk and one row are in memory.

import { serialToDate } from 'hucre'
import type { Cell } from '../submission/rules/table-rows.ts'
import { broken, MAX_TEXT, type Sheet, unescaped, type Workbook, xmlReader } from './workbook.ts'

/** What Excel itself allows. */
const COLUMNS = 16_384
const ROWS = 1_048_576
/** Of a row's texts, and of rows that are passed on together: cells may name one shared text any number of times. */
const ROW_CHARACTERS = 4 * MAX_TEXT
const PASSED_CHARACTERS = 1024 * 1024
const DAY_SECONDS = 86_400
const LETTER_A = 64

const UNKNOWN = 'has a formula whose value is not in the file: open it in Excel or LibreOffice, and save it'

export interface SheetRow {
  /** Its number in the sheet. */
  line: number
  /** By column, from 0. A list for each row has a place for every empty column: a chunk of such rows took 780 MiB. */
  cells: Map<number, Cell>
  /** Columns, and the numbers of their shared texts, which are read as the row is passed on. */
  shared: [column: number, text: number][]
  /** Why it is none. */
  problem?: string
}

/** The rows of a sheet, some of each chunk together. @throws NotText */
export async function* sheetCells(workbook: Workbook, { path }: Sheet): AsyncGenerator<SheetRow[]> {
  if (path === undefined) return
  const sheet = new SheetReader(workbook)
  const texts = await workbook.texts().catch(broken)
  const reader = xmlReader(sheet)
  try {
    for await (const chunk of await workbook.open(path)) {
      reader.write(chunk)
      yield* withTexts(sheet.taken(), texts)
    }
    reader.end('worksheet')
    yield* withTexts(sheet.taken(), texts)
  } catch (error) {
    broken(error as Error)
  }
}

type Texts = Awaited<ReturnType<Workbook['texts']>>

/** The rows with their shared texts, no more together than PASSED_CHARACTERS and one row. */
function* withTexts(rows: SheetRow[], texts: Texts): Generator<SheetRow[]> {
  let passed: SheetRow[] = []
  let characters = 0
  for (const row of rows) {
    let own = 0
    for (const [column, number] of row.shared) {
      const text = texts.at(number) ?? broken(new Error(`text ${number} is missing`))
      own += text.length
      if (own > ROW_CHARACTERS) {
        row.problem = `has over ${ROW_CHARACTERS} characters in its cells, up to column ${column + 1}: leave columns out`
        row.cells.clear()
        break
      }
      row.cells.set(column, text)
    }
    row.shared = []
    passed.push(row)
    characters += own
    if (characters < PASSED_CHARACTERS) continue
    yield passed
    passed = []
    characters = 0
  }
  if (passed.length > 0) yield passed
}

class SheetReader {
  rows: SheetRow[] = []
  readonly #workbook: Workbook
  #row: SheetRow = { line: 0, cells: new Map(), shared: [] }
  #at = 0
  #type = 'n'
  #style = 0
  #text = ''
  /** Of the values of its row. */
  #characters = 0
  #hasFormula = false
  #hasValue = false
  #isValue = false
  /** Within how a text is to be pronounced. */
  #isSound = false

  constructor(workbook: Workbook) {
    this.#workbook = workbook
  }

  taken(): SheetRow[] {
    const { rows } = this
    this.rows = []
    return rows
  }

  readonly open = (name: string, attributes: Record<string, string>): void => {
    if (name === 'row') {
      this.#row = { line: this.#lineOf(attributes.r), cells: new Map(), shared: [] }
      this.#characters = 0
      this.#at = -1
    } else if (name === 'c') {
      const { r } = attributes
      this.#at = r === undefined ? this.#at + 1 : columnOf(r)
      if (this.#at < 0 || this.#at >= COLUMNS)
        throw new Error(
          `${r === undefined ? `a cell of row ${this.#row.line}` : `the cell ${r.slice(0, 20)}`} is in no column from A to XFD`,
        )
      this.#type = attributes.t ?? 'n'
      this.#style = Number(attributes.s ?? 0)
      this.#text = ''
      this.#hasFormula = false
      this.#hasValue = false
    } else if (name === 'f') this.#hasFormula = true
    else if (name === 'rPh') this.#isSound = true
    else if (name === 'v' || (name === 't' && !this.#isSound)) {
      this.#isValue = true
      this.#hasValue = true
    }
  }

  /** Excel writes rows in their order, and refuses others. */
  #lineOf(written: string | undefined): number {
    const { line } = this.#row
    const next = written === undefined ? line + 1 : Number(written)
    if (Number.isInteger(next) && next > line && next <= ROWS) return next
    throw new Error(
      `behind row ${line} is a row ${String(written).slice(0, 20)}, and rows have rising numbers up to ${ROWS}`,
    )
  }

  readonly text = (part: string): void => {
    if (!this.#isValue || this.#characters > ROW_CHARACTERS) return
    this.#text += part
    this.#characters += part.length
    if (this.#text.length <= MAX_TEXT && this.#characters <= ROW_CHARACTERS) return
    this.#row.problem ??= `has over ${MAX_TEXT} characters in column ${this.#at + 1}, or over ${ROW_CHARACTERS} in all: shorten them, or leave columns out`
    this.#text = ''
    this.#isValue = false
  }

  readonly close = (name: string): void => {
    if (name === 'v' || name === 't') this.#isValue = false
    else if (name === 'rPh') this.#isSound = false
    else if (name === 'row') this.rows.push(this.#row)
    else if (name === 'c') {
      const value = this.#value()
      if (value !== null) this.#row.cells.set(this.#at, value)
      // Programs that write formulas mostly leave the value to Excel.
      if (this.#hasFormula && !this.#hasValue) this.#row.problem ??= UNKNOWN
    }
  }

  #value(): Cell {
    const text = this.#text
    if (this.#type === 'inlineStr' || this.#type === 'str') return unescaped(text)
    if (text === '') return null
    if (this.#type === 's') {
      this.#row.shared.push([this.#at, Number(text)])
      return null
    }
    if (this.#type === 'b') return text === '1' || text.toLowerCase() === 'true'
    if (this.#type === 'd') return withoutMidnight(text)
    const number = Number(text)
    if (this.#type === 'e' || Number.isNaN(number)) return text
    const format = this.#workbook.formatOf(this.#style)
    if (format === 'duration') return durationText(number)
    return format === 'date' ? dateText(number, this.#workbook.is1904) : number
  }
}

/** The column of a place such as AB12, from 0. */
function columnOf(place: string): number {
  let column = 0
  for (let at = 0; at < place.length; at++) {
    const letter = place.charCodeAt(at) & ~0x20
    if (letter <= LETTER_A || letter > LETTER_A + 26) break
    column = column * 26 + letter - LETTER_A
  }
  return column - 1
}

/** A day, a time of no day, or both. */
function dateText(serial: number, is1904: boolean): string {
  const text = serialToDate(serial, is1904)
    .toISOString()
    .replace(/(\.000)?Z$/, '')
  const isTime = serial < 1 && !(is1904 && serial === 0)
  return isTime ? text.slice(text.indexOf('T') + 1) : withoutMidnight(text)
}

const withoutMidnight = (text: string) => text.replace(/T00:00:00$/, '')

/** Days as hours, minutes and seconds. */
function durationText(days: number): string {
  const seconds = Math.round(Math.abs(days) * DAY_SECONDS)
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0')
  return `${days < 0 ? '-' : ''}${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`
}
