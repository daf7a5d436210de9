// Ends pages at a number of bytes as well as of rows. Guarantee: a page holds LIMITS.page_bytes at most plus one row
// that exceeds it, and its reader can see that more may follow although there are fewer rows than requested.

import { LIMITS } from './limits.ts'

/** A row with the size in bytes of its columns that may be long. */
export interface Sized {
  bytes: number
}

/** The rows that begin within the bytes of a page. */
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

/** Whether the bytes ended the page, so that more rows may follow. */
export const isFullOfBytes = (rows: readonly Sized[]): boolean =>
  rows.reduce((sum, { bytes }) => sum + bytes, 0) >= LIMITS.page_bytes
