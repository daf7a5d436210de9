// Lists: a table whose rows the keyboard can walk, its pager, and a text for an empty list.

import { type Child, useContext } from 'hono/jsx'
import { keyOf, type Order, orderIn, PageLink, sortedBy } from './order.ts'
import { count } from './text.tsx'

export interface Column<Row> {
  label: string
  /** Aligns the column to the right. */
  numeric?: true
  cell(row: Row): Child
  /** The value that links sort the rows by, where all rows are on the page. */
  value?(row: Row): number
}

/** A column of numbers, by which rows can be sorted unless `isSortable` is false. */
export const figure = <Row,>(
  label: string,
  value: (row: Row) => number,
  show: (value: number) => string = count,
  isSortable = true,
): Column<Row> => ({
  label,
  numeric: true,
  ...(isSortable && { value }),
  cell: row => show(value(row)),
})

interface ListProps<Row> {
  id: string
  rows: readonly Row[]
  /** Enter opens the first link in a row. */
  columns: readonly Column<Row>[]
  empty: Child
}

export function List<Row>({ id, rows: given, columns, empty }: ListProps<Row>) {
  const link = useContext(PageLink)
  const rows = sorted(given, columns, link && orderIn(link, id))
  if (rows.length === 0)
    return (
      <div class="empty" id={id} data-live>
        {empty}
      </div>
    )
  return (
    <section class="scroll" id={id} data-live aria-label={id}>
      <table>
        <thead>
          <tr>
            {columns.map(column => (
              <Heading list={id} column={column} link={link} />
            ))}
          </tr>
        </thead>
        <tbody data-rows>
          {rows.map(row => (
            <tr>
              {columns.map((column, at) => (
                // Repeated in each cell, so only what a phone needs; the headings say which columns are numbers.
                <td data-label={at > 0 && column.label ? column.label : undefined}>{column.cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order | undefined) {
  const value = columns.find(one => one.value && keyOf(one.label) === order?.key)?.value
  if (order === undefined || value === undefined) return rows
  return rows.toSorted((a, b) => (order.down ? -1 : 1) * (value(a) - value(b)))
}

/** A heading; where its list can be sorted by the column, a link to the page that is. */
function Heading<Row>({ list, column, link }: { list: string; column: Column<Row>; link: URL | undefined }) {
  const { label, numeric, value } = column
  const own = numeric && 'numeric'
  if (label === '')
    return (
      <th scope="col" class={own}>
        <span class="off-screen">Actions</span>
      </th>
    )
  if (value === undefined || link === undefined)
    return (
      <th scope="col" class={own}>
        {label}
      </th>
    )
  const order = orderIn(link, list)
  const direction = order?.key !== keyOf(label) ? undefined : order.down ? 'descending' : 'ascending'
  return (
    <th scope="col" class={own} aria-sort={direction}>
      <a class="sort" href={sortedBy(link, list, keyOf(label))}>
        {label}
      </a>
    </th>
  )
}

/** The page's own link with changed parameters; undefined removes one. */
export function linkWith(request: Request, changes: Record<string, string | undefined>): string {
  const { pathname, searchParams } = new URL(request.url)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) searchParams.delete(name)
    else searchParams.set(name, value)
  }
  const search = searchParams.toString()
  return search === '' ? pathname : `${pathname}?${search}`
}

interface FirstOfProps {
  shown: number
  /** In words where they are not all counted. */
  total: number | string
  noun: string
  href: string
}

/** Below a list of the first rows: of how many, unless these are all, and where all of them are. */
export const FirstOf = ({ shown, total, noun, href }: FirstOfProps) =>
  total === 0 ? (
    ''
  ) : (
    <p class="first-of">
      {shown !== total && (
        <span class="dim">
          {count(shown)} of {typeof total === 'number' ? count(total) : total}{' '}
        </span>
      )}
      <a href={href}>All {noun}</a>
    </p>
  )

/** Links to the next page only, newest first; the browser's back button leads back. */
export const Pager = ({ request, next }: { request: Request; next: string | null }) =>
  next === null && !new URL(request.url).searchParams.has('cursor') ? (
    ''
  ) : (
    <p class="pager">
      {new URL(request.url).searchParams.has('cursor') && (
        <a href={linkWith(request, { cursor: undefined })}>To the first page</a>
      )}
      {next !== null && (
        <a href={linkWith(request, { cursor: next })} rel="next" data-key="n">
          Next page
        </a>
      )}
    </p>
  )

/** The cursor of the next page, for lists that return it in a header; null on the last page. */
export const nextOf = (response: Response): string | null => response.headers.get('x-next-cursor')
