// Seals and opens cursors, opaque signed words that say where the next page of a list begins. Guarantee: a cursor opens
// only for the list, the filters and the caller's scope it was made for; anything else is `invalid_cursor`.

import type { Context } from '../context.ts'
import { ApiError } from '../kernel/errors.ts'
import { derivedKey, fromBase64Url, sameBytes, toBase64Url } from '../kernel/secrets.ts'

/** The database's own text of each column the list is sorted by. */
export type CursorKey = string[]

/** Everything that decides what the list holds; the page size does not. */
export interface ListIdentity {
  list: string
  account_id: string
  project_id: string | null
  filters: Record<string, unknown>
}

const MAC_BYTES = 16

export async function sealCursor(ctx: Context, identity: ListIdentity, key: CursorKey): Promise<string> {
  const payload = new TextEncoder().encode(JSON.stringify(key))
  const mac = await macOf(ctx, identity, payload)
  const whole = new Uint8Array(MAC_BYTES + payload.length)
  whole.set(mac)
  whole.set(payload, MAC_BYTES)
  return toBase64Url(whole)
}

export async function openCursor(ctx: Context, identity: ListIdentity, cursor: string): Promise<CursorKey> {
  const whole = fromBase64Url(cursor)
  if (whole === undefined || whole.length <= MAC_BYTES) throw invalidCursor()
  const payload = whole.slice(MAC_BYTES)
  const mac = await macOf(ctx, identity, payload)
  if (!sameBytes(mac, whole.slice(0, MAC_BYTES))) throw invalidCursor()
  return JSON.parse(new TextDecoder().decode(payload))
}

async function macOf(ctx: Context, identity: ListIdentity, payload: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const secret = await derivedKey(ctx.config.master_key, 'cursor')
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  const filters = Object.entries(identity.filters).filter(([, value]) => value !== undefined)
  const scope = [identity.list, identity.account_id, identity.project_id, filters.sort(byName)]
  const head = new TextEncoder().encode(`${JSON.stringify(scope)}\n`)
  const signed = new Uint8Array(head.length + payload.length)
  signed.set(head)
  signed.set(payload, head.length)
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, signed)).slice(0, MAC_BYTES)
}

const byName = (a: [string, unknown], b: [string, unknown]) => (a[0] < b[0] ? -1 : 1)

const invalidCursor = () =>
  new ApiError(
    'invalid_cursor',
    'This cursor was not made by this list with these filters.',
    'Pass next_cursor of the page before unchanged, with the same filters; or start again without a cursor.',
  )

export interface Page<T> {
  rows: T[]
  next_cursor: string | null
}

/**
 * Reads one row more than the page holds, to know whether another page follows. `isFull` says that the bytes of a page
 * ended the rows, so that more may follow although fewer than requested were read.
 */
export async function readPage<T>(
  ctx: Context,
  identity: ListIdentity,
  page: { cursor?: string | undefined; limit: number },
  read: (after: CursorKey | undefined, limit: number) => Promise<T[]>,
  keyOf: (row: T) => CursorKey,
  isFull: (rows: readonly T[]) => boolean = () => false,
): Promise<Page<T>> {
  const after = page.cursor === undefined ? undefined : await openCursor(ctx, identity, page.cursor)
  const rows = await read(after, page.limit + 1)
  if (rows.length <= page.limit && !isFull(rows)) return { rows, next_cursor: null }
  rows.length = Math.min(rows.length, page.limit)
  return { rows, next_cursor: await sealCursor(ctx, identity, keyOf(rows.at(-1)!)) }
}

/** Documents the header that carries the cursor where the body is a plain array. */
export const NEXT_CURSOR = { 'x-next-cursor': 'The cursor of the next page; absent on the last one.' }

export function setNextCursor(headers: Headers, page: { next_cursor: string | null }): void {
  if (page.next_cursor !== null) headers.set('x-next-cursor', page.next_cursor)
}
