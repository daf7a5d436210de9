// Says what a file holds before it is sent: lines, rows, columns, and what looks odd. Guarantee: what is kept does not
// grow with the file, except for the ids that SeenIds bounds; nothing that is odd is refused here.

import type { JsonWriting } from '../../json/json-values.ts'
import { INPUT_LIMITS } from '../../kernel/limits/input.ts'
import type { Taking } from './file-items.ts'
import { rowOf, type Row as Sample } from './first-rows.ts'
import type { Row } from './rows.ts'
import { SeenIds } from './seen-ids.ts'
import type { TableFound } from './table-rows.ts'

/** A row of a table on more lines is odd: a quote may have opened it that was none. */
const LINES = 10

export const ODDITIES = ['long_row', 'repeated_id', 'empty_row', 'unnamed_index'] as const
export type Oddity = (typeof ODDITIES)[number]

export interface Odd {
  kind: Oddity
  count: number
  /** The line of the first one, or its number where rows are no lines. */
  line: number
  /** Its id, of `repeated_id`. */
  item_id: string | null
}

export interface Surveyed {
  rows: number
  /** The last line that a row is on; null where rows are no lines. */
  lines: number | null
  columns: string[]
  /** Of a table. */
  delimiter: string | null
  odd: Odd[]
  /** The first rows. */
  sample: Sample[]
}

export class Survey {
  #rows = 0
  #lines = 0
  #table: TableFound | undefined
  #writing: JsonWriting | undefined
  readonly #ids = new SeenIds()
  readonly #odd = new Map<Oddity, Odd>()
  readonly #sample: Sample[] = []
  #sampled = 0

  /** What `itemLines` reports to this survey. */
  readonly taking: Pick<Taking, 'seen' | 'table' | 'written'> = {
    seen: (row, item_id) => this.#see(row, item_id),
    table: found => {
      this.#table = found
    },
    written: writing => {
      this.#writing = writing
    },
  }

  result(): Surveyed {
    const { columns, delimiter = null, has_index = false } = this.#table ?? {}
    const odd = [...this.#odd.values()]
    if (has_index) odd.push({ kind: 'unnamed_index', count: this.#rows, line: 1, item_id: null })
    const isCounted = this.#writing === undefined ? this.#table !== undefined : this.#writing === 'lines'
    const named = new Set(this.#sample.flatMap(row => [...row.keys()]).filter(name => name !== ''))
    return {
      rows: this.#rows,
      lines: isCounted ? this.#lines : null,
      columns: columns ?? [...named],
      delimiter,
      odd,
      sample: this.#sample,
    }
  }

  #see(row: Row, item_id: string | null): void {
    this.#rows++
    const { lines = 1, isEmpty = false } = ('facts' in row && row.facts) || {}
    this.#lines = row.line + lines - 1
    if (lines > LINES) this.#note('long_row', row.line)
    if (isEmpty) this.#note('empty_row', row.line)
    if (item_id !== null && this.#ids.hasLike(item_id)) this.#note('repeated_id', row.line, item_id)
    const isSampled = this.#sample.length < INPUT_LIMITS.first_rows && this.#sampled < INPUT_LIMITS.head_bytes
    if (!isSampled || !('text' in row)) return
    this.#sample.push(rowOf(row.text.trim()))
    this.#sampled += row.text.length
  }

  #note(kind: Oddity, line: number, item_id: string | null = null): void {
    const known = this.#odd.get(kind)
    if (known) known.count++
    else this.#odd.set(kind, { kind, count: 1, line, item_id })
  }
}
