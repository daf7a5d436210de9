import { expect, it } from 'vitest'
import { noParts, partsNow } from './counted-parts.ts'

it('counts by parts, and forgets what is older than they reach', () => {
  const parts = noParts()
  const add = (now_ms: number, count: number) => {
    const counts = partsNow(parts, 3, 100, now_ms)
    counts[2]! += count
    return [...counts]
  }
  expect(add(50, 1)).toEqual([0, 0, 1])
  expect(add(99, 1)).toEqual([0, 0, 2])
  expect(add(100, 5)).toEqual([0, 2, 5])
  expect(add(350, 0)).toEqual([5, 0, 0])
  expect(add(10_000, 7)).toEqual([0, 0, 7])
  expect(add(20, 1)).toEqual([0, 0, 8])
})
