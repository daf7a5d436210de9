// Reads the cells of a sheet while it is unpacked. Guarantee: a cell is what the sheet shows, in JSON's own types, dates
// without a zone; one chunk and one row are in memory.

import { serialToDate } from 'hucre'
import type { Cell } from '../submission/rules/table-rows.ts'
import { broken, type Sheet, unescaped, type Workbook, xmlReader } from './workbook.ts'

/** What Excel itself allows. */
const COLUMNS = 16_384
const DAY_SECONDS = 86_400
const LETTER_A = 64

const UNKNOWN = 'has a formula whose value is not in the file: open it in Excel or LibreOffice, and save it'

export interface SheetRow {
  /** Its number in the sheet. */
  line: number
  /** By column, from 0. A list for each row has a place for every empty column: a chunk of such rows took 780 MiB. */
  cells: Map<number, Cell>
  /** Why it is none. */
  problem?: string
}

/** The rows of a sheet, of each chunk together. @throws NotText */
export async function* sheetCells(workbook: Workbook, { path }: Sheet): AsyncGenerator<SheetRow[]> {
  if (path === undefined) return
  const sheet = new SheetReader(workbook, await workbook.texts().catch(broken))
  const reader = xmlReader(sheet)
  try {
    for await (const chunk of await workbook.open(path)) {
      reader.write(chunk)
      if (sheet.rows.length > 0) yield sheet.taken()
    }
    reader.end('worksheet')
  } catch (error) {
    broken(error as Error)
  }
  yield sheet.taken()
}

type Texts = Awaited<ReturnType<Workbook['texts']>>

class SheetReader {
  rows: SheetRow[] = []
  readonly #workbook: Workbook
  readonly #texts: Texts
  #row: SheetRow = { line: 0, cells: new Map() }
  #at = 0
  #type = 'n'
  #style = 0
  #text = ''
  #hasFormula = false
  #hasValue = false
  #isValue = false
  /** Within how a text is to be pronounced. */
  #isSound = false

  constructor(workbook: Workbook, texts: Texts) {
    this.#workbook = workbook
    this.#texts = texts
  }

  taken(): SheetRow[] {
    const { rows } = this
    this.rows = []
    return rows
  }

  readonly open = (name: string, attributes: Record<string, string>): void => {
    if (name === 'row') {
      this.#row = { line: Number(attributes.r ?? this.#row.line + 1), cells: new Map() }
      this.#at = -1
    } else if (name === 'c') {
      this.#at = attributes.r === undefined ? this.#at + 1 : columnOf(attributes.r)
      if (this.#at >= COLUMNS) throw new Error(`a cell is in column ${this.#at + 1}`)
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

  readonly text = (part: string): void => {
    if (this.#isValue) this.#text += part
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
    if (this.#type === 's')
      return this.#texts.at(Number(text)) ?? broken(new Error(`text ${text} is missing`))
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
