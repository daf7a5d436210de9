// Ends pages at bytes as well as at rows. Guarantee: a page holds LIMITS.page_bytes at most and one row that goes beyond, and
// whoever reads it can tell that more may follow although there are fewer rows than were asked for.

import { LIMITS } from './limits.ts'

/** A row by the bytes of what it holds that may be long. */
export interface Sized {
  bytes: number
}

/** As many rows as begin within the bytes of a page. */
export function withinPage<T extends Sized>(rows: readonly T[]): T[] {
  const kept: T[] = []
  let bytes = 0
  for (const row of rows) {
    if (bytes >= LIMITS.page_bytes) break
    kept.push(row)
    bytes += row.bytes
  }
  return kept
}

/** More may follow. */
export const isFullOfBytes = (rows: readonly Sized[]): boolean =>
  rows.reduce((sum, { bytes }) => sum + bytes, 0) >= LIMITS.page_bytes
