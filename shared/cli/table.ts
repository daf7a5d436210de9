// Formats aligned tables. Guarantee: no line is wider than the screen. Optional columns are left out, then wide ones
// are cut to their least width; columns that still do not fit continue on further lines of their row.

import { clean, pad, pieces, shorten, widthOf, wrap } from './format.ts'
import type { Screen, Style } from './output.ts'

export interface Column<T> {
  title: string
  value: (row: T) => string
  style?: (row: T) => Style | undefined
  align?: 'right'
  /** The column may be cut down to this width, but not below its title. */
  least?: number
  /** The column may be left out; those with the highest number go first. */
  optional?: number
}

const GAP = 2
/** Of the lines on which a row continues. */
export const INDENT = GAP

export function table<T>(all: readonly Column<T>[], rows: readonly T[], screen: Screen): string {
  // An optional column without a value takes room from the others and says nothing.
  const columns = all.filter(
    ({ optional, value }) => optional === undefined || rows.some(row => value(row) !== ''),
  )
  const cells = columns.map(column => rows.map(row => clean(column.value(row))))
  const natural = columns.map((column, at) => Math.max(widthOf(column.title), ...cells[at]!.map(widthOf)))
  const lines = fitted(columns, natural, screen.columns)
  const rowText = (cell: (at: number, width: number) => Cell) =>
    lines
      .flatMap((places, line) =>
        lineText(
          places.map(({ at, width }) => cell(at, width)),
          line,
          screen,
        ),
      )
      .join('\n')
  const head = rowText((at, width) => ({ text: columns[at]!.title, width, align: columns[at]!.align }))
  const body = rows.map((row, index) =>
    rowText((at, width) => {
      const { align, style } = columns[at]!
      return { text: cells[at]![index]!, width, align, style: style?.(row) }
    }),
  )
  return [screen.paint('dim', head), ...body].join('\n')
}

interface Cell {
  text: string
  width: number
  align?: 'right' | undefined
  style?: Style | undefined
}

/** One line; more if its only cell is wider than the screen: a sentence, an address or an id must not lose its end. */
function lineText(cells: Cell[], line: number, { columns, paint }: Screen): string[] {
  const indent = ' '.repeat(line === 0 ? 0 : INDENT)
  const painted = ({ style }: Cell, text: string) => (style === undefined ? text : paint(style, text))
  const [only] = cells
  const room = columns - indent.length
  if (cells.length === 1 && widthOf(only!.text) > room)
    return wrap(only!.text, room)
      .flatMap(words => pieces(words, room))
      .map(piece => indent + painted(only!, piece))
  const text = cells
    .map(cell => painted(cell, pad(shorten(cell.text, cell.width), cell.width, cell.align)))
    .join(' '.repeat(GAP))
    .trimEnd()
  return text === '' && line > 0 ? [] : [indent + text]
}

interface Place {
  at: number
  width: number
}

/** Leaves out optional columns, then cuts the widest, until the rest fits; what does not fit goes to further lines. */
function fitted<T>(columns: readonly Column<T>[], natural: number[], available: number): Place[][] {
  let shown = columns.map((_, at) => at)
  const least = (at: number) =>
    Math.min(natural[at]!, Math.max(widthOf(columns[at]!.title), columns[at]!.least ?? natural[at]!))
  while (sumOf(shown.map(least)) > available) {
    const ranks = shown.map(at => columns[at]!.optional ?? 0)
    const rank = Math.max(...ranks)
    if (rank === 0) break
    shown = shown.filter((_, place) => ranks[place] !== rank)
  }
  const lines: number[][] = [[]]
  for (const at of shown) {
    const line = lines.at(-1)!
    const room = available - (lines.length > 1 ? INDENT : 0)
    if (line.length > 0 && sumOf([...line, at].map(least)) > room) lines.push([at])
    else line.push(at)
  }
  return lines.map((line, place) => cut(line, natural, least, available - (place > 0 ? INDENT : 0)))
}

const sumOf = (widths: number[]) => widths.reduce((total, width) => total + width + GAP, -GAP)

function cut(
  line: readonly number[],
  natural: number[],
  least: (at: number) => number,
  room: number,
): Place[] {
  const places = line.map(at => ({ at, width: natural[at]! }))
  let over = sumOf(places.map(({ width }) => width)) - room
  while (over > 0) {
    const spare = places.map(({ at, width }) => (width > least(at) ? width : 0))
    const widest = spare.indexOf(Math.max(...spare))
    if (spare[widest] === 0) break
    places[widest]!.width--
    over--
  }
  return places
}
