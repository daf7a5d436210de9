// Reads which fields of a result a caller requests, and writes a field as a cell of a table. Guarantee: a part of an
// input or an output keeps its digits, and texts that a spreadsheet would take for a formula are recognized.

import { elementsOf, fieldsOf } from '../../json/json.ts'
import type { ResultFormat } from '../vocabulary.ts'

/** Who gets the results of a run as a file when it has ended. */
export interface ResultsReceiver {
  url: string
  format: ResultFormat
}

/** In the order of a table's columns. `input` and `code_version` are included only on request. */
export const RESULT_FIELDS = [
  'item_id',
  'partition_key',
  'status',
  'outcome_status',
  'outcome_reason',
  'degraded_reason',
  'error_code',
  'error_message',
  'input',
  'output',
  'cost_usd',
  'total_cost_usd',
  'unpriced',
  'tries',
  'run_id',
  'record_id',
  'line',
  'created_at',
  'completed_at',
  'corrected',
  'recorded_outcome_status',
  'code_version',
] as const
export type ResultField = (typeof RESULT_FIELDS)[number]

/** A field or, with a path, a part of the input or the output. */
export interface Column {
  /** As the caller wrote it. */
  name: string
  field: ResultField
  path: readonly string[]
}

const ON_REQUEST: readonly ResultField[] = ['input', 'code_version']

export const DEFAULT_COLUMNS: readonly Column[] = RESULT_FIELDS.filter(
  name => !ON_REQUEST.includes(name),
).map(name => ({ name, field: name, path: [] }))

const HAVE_PARTS: readonly string[] = ['input', 'output']

/** @example columnsOf('item_id,output.label') — the columns, or what is wrong with the list */
export function columnsOf(fields: string): readonly Column[] | { problem: string } {
  const columns: Column[] = []
  for (const name of fields.split(',').map(one => one.trim())) {
    const [root = '', ...path] = name.split('.')
    const field = RESULT_FIELDS.find(known => known === root)
    if (field === undefined)
      return { problem: `knows no field "${root}"; there are: ${RESULT_FIELDS.join(', ')}` }
    if (path.length > 0 && !HAVE_PARTS.includes(root))
      return { problem: `asks for "${name}", but only input and output have parts` }
    if (columns.some(column => column.name === name)) return { problem: `names "${name}" twice` }
    columns.push({ name, field, path })
  }
  return columns
}

/** The JSON text of a part; undefined when there is none. A key may itself have dots in it. */
export function partOf(json: string, path: readonly string[]): string | undefined {
  if (path.length === 0) return json
  const text = json.trimStart()
  if (text.startsWith('{')) {
    const fields = fieldsOf(text)
    for (let taken = path.length; taken > 0; taken--) {
      const value = fields.get(path.slice(0, taken).join('.'))
      if (value !== undefined) return partOf(value, path.slice(taken))
    }
  }
  if (text.startsWith('[') && /^\d{1,9}$/.test(path[0]!)) {
    const value = elementsOf(text)[Number(path[0])]
    return value === undefined ? undefined : partOf(value, path.slice(1))
  }
  return undefined
}

/** A JSON text as a cell: a string without its quotes, null as empty, everything else as JSON. */
export function cellOf(json: string): string {
  const text = json.trim()
  if (text === 'null') return ''
  return text.startsWith('"') ? JSON.parse(text) : text
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** What a spreadsheet runs: it passes over blanks before the sign. A number is none, whatever its sign. */
const mayBeFormula = (text: string): boolean =>
  /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u.test(text) && !NUMBER.test(text.trim())
/** Where a cell ends for a spreadsheet that separates by semicolons or tabs, to which our quotes are text. */
const ENDS = /([;\t\r\n]+)/

/** The cell with an apostrophe before whatever a spreadsheet would take for a formula, wherever it cuts the line. */
export function withoutFormulas(cell: string): string {
  if (!/[=+\-@＝＋－＠]/.test(cell)) return cell
  const parts = cell.split(ENDS).map(part => (mayBeFormula(part) ? `'${part}` : part))
  // The first part is also the beginning of the cell, which may be a blank line.
  const text = parts.join('')
  return mayBeFormula(cell) && !text.startsWith("'") ? `'${text}` : text
}
