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
  columns: readonly Column<Row>[]
  /** Where Enter leads on a row. */
  href?(row: Row): string
  empty: Child
}

export function List<Row>({ id, rows, columns, href, empty }: ListProps<Row>) {
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
            <tr data-href={href?.(row)}>
              {columns.map(column => (
                <td
                  class={column.numeric && 'numeric'}
                  data-label={column.label}
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
