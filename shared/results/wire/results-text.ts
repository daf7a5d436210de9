// Writes results as the text of a file. Guarantee: a table has a header even without results, and one row per result.

import { stringify } from 'csv-stringify/sync'
import { jsonArray, jsonLines } from '../../json/raw-json.ts'
import { type Column, DEFAULT_COLUMNS, withoutFormulas } from '../rules/results.ts'
import type { ResultFormat } from '../vocabulary.ts'
import { type ResultRow, resultCells, resultObject } from './results.ts'

export const RESULT_TYPES: Record<ResultFormat, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
}

export interface ResultShape {
  format: ResultFormat
  columns?: readonly Column[] | undefined
  /** Cells that may be formulas stay as they are. */
  raw?: boolean | undefined
}

export function resultsText(
  chunks: AsyncIterable<ResultRow[]>,
  { format, columns = DEFAULT_COLUMNS, raw = false }: ResultShape,
): AsyncGenerator<string> {
  if (format === 'csv') return csv(chunks, columns, raw)
  const shape = (row: ResultRow) => resultObject(row, columns)
  return format === 'ndjson' ? jsonLines(chunks, shape) : jsonArray(chunks, shape)
}

async function* csv(chunks: AsyncIterable<ResultRow[]>, columns: readonly Column[], raw: boolean) {
  yield stringify([columns.map(({ name }) => name)])
  const cell = (text: string) => (raw ? text : withoutFormulas(text))
  for await (const rows of chunks) yield stringify(rows.map(row => resultCells(row, columns).map(cell)))
}
