import { expect, it } from 'vitest'
import { LIMITS } from './limits.ts'
import { isFullOfBytes, withinPage } from './page-bytes.ts'

const HALF = { bytes: LIMITS.page_bytes / 2 }
const WHOLE = { bytes: LIMITS.page_bytes }

it.each([
  ['no rows', [], 0, false],
  ['rows that fit', [HALF, { bytes: 1 }], 2, false],
  ['rows that fill it exactly', [HALF, HALF], 2, true],
  ['the row that exceeds it, and none after that', [HALF, WHOLE, { bytes: 0 }], 2, true],
  ['one row that is larger than a page', [{ bytes: 2 * LIMITS.page_bytes }, HALF], 1, true],
])('a page holds %s', (_, rows, kept, isFull) => {
  const page = withinPage(rows)
  expect(page).toEqual(rows.slice(0, kept))
  expect(isFullOfBytes(page)).toBe(isFull)
})
