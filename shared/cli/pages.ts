// Reads lists of the API: a page whose cursor comes in a header or in its body, all rows, or what comes as a whole.

import { answered } from './api.ts'

/** Which page of a list to read, as parameters of the API. */
export interface PageQuery {
  limit: number
  cursor?: string
}

export interface Page<Row> {
  rows: Row[]
  next: string | undefined
}

/** A page of a list whose cursor comes in a header. */
export async function pageOf<T>(call: Promise<{ data?: T[]; response: Response }>): Promise<Page<T>> {
  const { data = [], response } = await call
  return { rows: data, next: response.headers.get('x-next-cursor') ?? undefined }
}

/** A page of a list whose cursor comes in its body; `rowsOf` finds the rows. */
export async function bodyPageOf<T extends { next_cursor: string | null }, Row>(
  call: Promise<{ data?: T }>,
  rowsOf: (page: T) => Row[],
): Promise<Page<Row>> {
  const page = await answered(call)
  return { rows: rowsOf(page), next: page.next_cursor ?? undefined }
}

/** For rows that have an id, and a time at which they came. */
export const BY_ID = {
  keyOf: ({ id }: { id: string }) => id,
  cameAt: ({ created_at }: { created_at: string }) => created_at,
}

/** For lists that the server answers as a whole, in no particular order. */
export const inFull = <Row>(read: () => Promise<Row[]>) => ({
  page: Number.POSITIVE_INFINITY,
  read: async () => ({ rows: await read(), next: undefined }),
  inAnyOrder: true as const,
})

/** All rows of a list, at most of that many pages. */
export async function* everyRow<Row>(
  read: (page: PageQuery) => Promise<Page<Row>>,
  limit: number,
  pages = Number.POSITIVE_INFINITY,
): AsyncGenerator<Row, void> {
  let page = await read({ limit })
  yield* page.rows
  for (let at = 1; at < pages && page.next !== undefined; at++) {
    page = await read({ limit, cursor: page.next })
    yield* page.rows
  }
}
