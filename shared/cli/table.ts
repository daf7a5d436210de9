// Aligned tables. Guarantee: no line is wider than the screen, as long as the columns' least widths fit at all.

import { clean, pad, shorten, widthOf } from './format.ts'
import type { Screen, Style } from './output.ts'

export interface Column<T> {
  title: string
  value: (row: T) => string
  style?: (row: T) => Style | undefined
  align?: 'right'
  /** It may be cut down to this many columns. */
  least?: number
  /** It may be left out; those with the highest number go first. */
  optional?: number
}

const GAP = 2

export function table<T>(columns: readonly Column<T>[], rows: readonly T[], screen: Screen): string {
  const cells = columns.map(column => rows.map(row => clean(column.value(row))))
  const natural = columns.map((column, at) => Math.max(widthOf(column.title), ...cells[at]!.map(widthOf)))
  const { shown, widths } = fitted(columns, natural, screen.columns)
  const rowText = (cell: (at: number, width: number) => string) =>
    shown
      .map((at, place) => cell(at, widths[place]!))
      .join(' '.repeat(GAP))
      .trimEnd()
  const head = rowText((at, width) => pad(shorten(columns[at]!.title, width), width, columns[at]!.align))
  const body = rows.map((row, index) =>
    rowText((at, width) => {
      const { align, style } = columns[at]!
      const padded = pad(shorten(cells[at]![index]!, width), width, align)
      const wanted = style?.(row)
      return wanted === undefined ? padded : screen.paint(wanted, padded)
    }),
  )
  return [screen.paint('dim', head), ...body].join('\n')
}

/** Leaves out what may be left out, then cuts the widest, until the rest fits. */
function fitted<T>(columns: readonly Column<T>[], natural: number[], available: number) {
  let shown = columns.map((_, at) => at)
  const least = (at: number) => Math.min(natural[at]!, columns[at]!.least ?? natural[at]!)
  const sum = (width: (at: number) => number) => shown.reduce((total, at) => total + width(at) + GAP, -GAP)
  while (sum(least) > available) {
    const ranks = shown.map(at => columns[at]!.optional ?? 0)
    const rank = Math.max(...ranks)
    if (rank === 0) break
    shown = shown.filter((_, place) => ranks[place] !== rank)
  }
  const widths = shown.map(at => natural[at]!)
  let over = sum(at => natural[at]!) - available
  while (over > 0) {
    const spare = widths.map((width, place) => (width > least(shown[place]!) ? width : 0))
    const widest = spare.indexOf(Math.max(...spare))
    if (spare[widest] === 0) break
    widths[widest]!--
    over--
  }
  return { shown, widths }
}
