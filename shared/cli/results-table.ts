// Turns results into the rows of a workbook or a Parquet file. Guarantee: a number keeps all its digits, as text where
// the format would lose some; objects and arrays are JSON texts.

import { fieldsOf } from '../json/json.ts'
import { ndjsonLines } from '../json/ndjson.ts'
import { LIMITS } from '../kernel/limits.ts'
import { cellOf, columnsOf, DEFAULT_COLUMNS } from '../results/rules/results.ts'
import type { Cell } from '../submission/rules/table-rows.ts'

export const TABLE_FORMATS = ['xlsx', 'parquet'] as const
export type TableFormat = (typeof TABLE_FORMATS)[number]

/** An input and an output, with every character escaped, and the rest of a result. */
const LINE_BYTES = 12 * (LIMITS.item_input_bytes + LIMITS.item_output_bytes) + 64 * 1024
/** What a double, and so a cell, holds of any number. */
const DIGITS = 15

/** Columns that are no texts in Parquet. */
const TYPES: Record<string, 'number' | 'whole' | 'boolean'> = {
  cost_usd: 'number',
  total_cost_usd: 'number',
  tries: 'whole',
  line: 'whole',
  unpriced: 'boolean',
  corrected: 'boolean',
}

/** The bytes of a file, of results as JSON lines; `fields` as they were asked for. Libraries are loaded here. */
export async function* tableFile(
  lines: AsyncIterable<Uint8Array>,
  fields: string | undefined,
  format: TableFormat,
): AsyncGenerator<Uint8Array> {
  const asked = fields === undefined ? DEFAULT_COLUMNS : columnsOf(fields)
  const names = 'problem' in asked ? [] : asked.map(({ name }) => name)
  if (format === 'xlsx') {
    const { sheetOf } = await import('./xlsx.ts')
    return yield* sheetOf(names, cellsOf(lines, names, numberCell))
  }
  const { parquetOf } = await import('./parquet.ts')
  const columns = names.map(name => ({ name, type: TYPES[name] ?? ('text' as const) }))
  yield* parquetOf(
    columns,
    cellsOf(lines, names, (json, name) => (TYPES[name] ? JSON.parse(json) : cellOf(json))),
  )
}

type MakeCell = (json: string, name: string) => Cell

async function* cellsOf(
  lines: AsyncIterable<Uint8Array>,
  names: readonly string[],
  make: MakeCell,
): AsyncGenerator<Cell[]> {
  for await (const batch of ndjsonLines(lines, LINE_BYTES))
    for (const line of batch.lines) {
      const values = fieldsOf(line)
      yield names.map(name => {
        const json = values.get(name)
        return json === undefined || json === 'null' ? null : make(json, name)
      })
    }
}

/** Numbers and booleans stay what they are in a cell, as long as it holds them. */
function numberCell(json: string): Cell {
  if (json === 'true' || json === 'false') return json === 'true'
  const isNumber = /^-?\d/.test(json) && json.replace(/e.*$/i, '').replaceAll(/[^\d]/g, '').length <= DIGITS
  return isNumber ? Number(json) : cellOf(json)
}
