import { expect, it } from 'vitest'
import { likeIds } from './like-ids.ts'

it('a number stands for the ids that have it where known ones have theirs', () => {
  expect(likeIds('1044', ['T-1', 'T-2', 'INV/12/a'])).toEqual(['T-1044', 'INV/1044/a'])
  expect(likeIds('44', ['T-0007'])).toEqual(['T-0044', 'T-44'])
  expect(likeIds('0044', ['T-7', 'T-0007'])).toEqual(['T-44', 'T-0044'])
  expect(likeIds('7', ['2026-11-30/doc 12 of b'])).toEqual(['2026-11-30/doc 7 of b'])
})

it('letters before and after it are compared without case and signs', () => {
  expect(likeIds('t1044', ['T-1', 'INV-1'])).toEqual(['T-1044'])
  expect(likeIds('ticket 1044', ['eu/ticket-1'])).toEqual(['eu/ticket-1044'])
  expect(likeIds('12a', ['INV/3/a', 'INV/3/b'])).toEqual(['INV/12/a'])
  expect(likeIds('refund', ['T-1'])).toEqual([])
})

it('the text itself is none, and at most eight are made', () => {
  expect(likeIds('T-1044', ['T-1'])).toEqual([])
  expect(
    likeIds(
      '5',
      Array.from({ length: 30 }, (_, n) => `${'x'.repeat(n + 1)}-1`),
    ),
  ).toHaveLength(8)
})
