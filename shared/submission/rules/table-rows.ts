// Turns the records of a table into rows of JSON. Guarantee: a row has a field for every named column, in their order;
// no value is dropped, except the numbers of rows that pandas and R write into a first column without a name.

import { INPUT_LIMITS } from '../../kernel/limits/input.ts'
import { shortened } from '../../kernel/text-head.ts'
import { CsvError, csvRecords, type TableChoices } from './csv.ts'
import type { CsvRecord } from './csv-reader.ts'
import type { Fields, Row } from './rows.ts'

/** Of a row's JSON, which has each name again: with a single column as the input, it may be longer than an input. */
const ROW_CHARACTERS = 4 * INPUT_LIMITS.item_input_bytes
const NAMES_SHOWN = 20
const VALUE_SHOWN = 40

/** A value of a table; only workbooks and Parquet have others than texts. */
export type Cell = string | number | boolean | null

export interface TableFound {
  /** Null where no text separates the values. */
  delimiter: string | null
  columns: string[]
  /** The first column has no name, and its whole numbers are left out. */
  has_index: boolean
}

export interface TableOptions extends TableChoices {
  /** Called with what the first line says, before the first row. */
  table?: ((found: TableFound) => void) | undefined
}

/** Yields the rows of a table as JSON objects with the names in its first line. */
export async function* csvRows(
  chunks: AsyncIterable<Uint8Array>,
  fields: Fields,
  { table, ...choices }: TableOptions = {},
): AsyncGenerator<Row[]> {
  let columns: Columns | undefined
  let delimiter = ''
  try {
    const found: TableChoices['found'] = dialect => {
      delimiter = dialect.delimiter
    }
    for await (const records of csvRecords(chunks, { ...choices, found })) {
      if (columns === undefined) {
        const first = records.shift()!
        columns = new Columns(first.values)
        const problem = first.problem ?? columns.problem(fields)
        if (problem !== undefined) return yield [{ line: first.line, problem }]
        table?.({ delimiter, columns: columns.named, has_index: columns.hasIndex })
      }
      const rows: Row[] = []
      for (const record of records) {
        const row = columns.row(record)
        if (row !== undefined) rows.push(row)
      }
      yield rows
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    yield [{ line: error.line, problem: error.message, last: true }]
  }
}

type TableRecord = Omit<CsvRecord, 'values'> & { values: readonly Cell[] }

/** The columns of a table, by its first record. */
export class Columns {
  readonly named: string[]
  /** Trailing columns without a name are none, as long as nothing is in them. */
  readonly width: number
  readonly #names: readonly string[]
  /** What the JSON text of a row has before each value; empty for columns without a name. */
  readonly #before: readonly string[]

  constructor(header: readonly (string | null)[]) {
    this.#names = header.map(name => (name ?? '').trim())
    this.named = this.#names.filter(name => name !== '')
    this.width = this.#names.findLastIndex(name => name !== '') + 1
    this.#before = this.#names.map(name => (name === '' ? '' : `${JSON.stringify(name)}:`))
  }

  /** Whether the first column may number the rows. */
  get hasIndex(): boolean {
    return this.#names[0] === '' && this.width > 1
  }

  problem(fields: Fields): string | undefined {
    const seen = new Set<string>()
    const twice = this.named.find(name => seen.has(name) || !seen.add(name))
    if (this.named.length === 0) return 'names no column; the first line is to name them'
    if (twice !== undefined) return `names "${twice}" twice`
    const missing = Object.values(fields).find(field => field !== undefined && !seen.has(field))
    return missing === undefined
      ? undefined
      : `names no field "${missing}"; there are: ${this.named.slice(0, NAMES_SHOWN).join(', ')}`
  }

  /** Undefined for a line of blanks in a table of several columns. */
  row({ line, lines, values, problem }: TableRecord): Row | undefined {
    if (problem !== undefined) return { line, problem }
    const isShort = values.length < this.width
    if (isShort && values.length === 1 && String(values[0] ?? '').trim() === '') return undefined
    if (isShort || values.findLastIndex(isFilled) >= this.#names.length)
      return { line, problem: this.#wrongCount(values) }
    let text = '{'
    let isEmpty = true
    for (let at = 0; at < values.length; at++) {
      const [value, before] = [values[at]!, this.#before[at]]
      if (before) text += `${text.length > 1 ? ',' : ''}${before}${JSON.stringify(value)}`
      else if (isFilled(value) && !(at === 0 && this.hasIndex && /^\d+$/.test(String(value))))
        return {
          line,
          problem: `has ${shown(value)} in column ${at + 1}, which the first line does not name`,
        }
      if (text.length > ROW_CHARACTERS)
        return {
          line,
          problem: `has over ${ROW_CHARACTERS} characters as JSON, with the names of its columns`,
        }
      if (isEmpty && before && isFilled(value)) isEmpty = false
    }
    return { line, text: `${text}}`, facts: { lines, isEmpty } }
  }

  #wrongCount(values: readonly Cell[]): string {
    const isSpaced = values.some(value => typeof value === 'string' && /^\s+"/.test(value))
    const hint = isSpaced ? '; a quote behind a blank is text: write it right behind the delimiter' : ''
    return `has ${values.length} fields; the first line names ${this.#names.length}${hint}`
  }
}

const isFilled = (value: Cell | undefined): boolean => value !== '' && value != null

function shown(value: Cell): string {
  return JSON.stringify(shortened(String(value), VALUE_SHOWN))
}
