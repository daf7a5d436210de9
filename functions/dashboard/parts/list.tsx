// Lists: a table whose rows the keyboard can walk, its next page, and what is said where there is nothing.

import type { Child } from 'hono/jsx'

export interface Column<Row> {
  label: string
  /** Numbers stand to the right. */
  numeric?: true
  cell(row: Row): Child
  /** What its rows can be sorted by, where all of them are on the page. */
  value?(row: Row): number
}

interface ListProps<Row> {
  id: string
  rows: readonly Row[]
  /** The first link in a row is where Enter leads on it. */
  columns: readonly Column<Row>[]
  empty: Child
}

export function List<Row>({ id, rows, columns, empty }: ListProps<Row>) {
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
              <th scope="col" class={column.numeric && 'numeric'} data-sort={column.value && ''}>
                {column.label || <span class="off-screen">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody data-rows>
          {rows.map(row => (
            <tr>
              {columns.map((column, at) => (
                // Said of each cell, so no more than a phone needs; which columns are numbers is known by their headings.
                <td
                  data-label={at > 0 && column.label ? column.label : undefined}
                  data-value={column.value?.(row)}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The page's own link with other parameters; undefined takes one away. */
export function linkWith(request: Request, changes: Record<string, string | undefined>): string {
  const { pathname, searchParams } = new URL(request.url)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) searchParams.delete(name)
    else searchParams.set(name, value)
  }
  const search = searchParams.toString()
  return search === '' ? pathname : `${pathname}?${search}`
}

/** Lists go one way, newest first; back is what browsers are for. */
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

/** The cursor of the next page, for lists that tell it in a header. */
export const nextOf = (response: Response): string | null => response.headers.get('x-next-cursor')
