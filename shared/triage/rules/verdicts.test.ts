import { expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { firstDayAt, isOftenWrong, precisionOf } from './verdicts.ts'

it.each([
  ['too few to say', { confirmed: 0, wrong: 19 }, false],
  ['just enough', { confirmed: 15, wrong: 5 }, true],
  ['a fifth and no more', { confirmed: 16, wrong: 4 }, false],
  ['many, mostly right', { confirmed: 900, wrong: 100 }, false],
] as const)('whether a reason is often wrong depends on its reviews: %s', (_, counts, often) => {
  expect(isOftenWrong(counts)).toBe(often)
})

it('the precision of a reason is the share of verdicts that were right', () => {
  expect(precisionOf({ confirmed: 3, wrong: 1 })).toBe(0.75)
})

it('reviews count for as many days as are reported, including today', () => {
  const today = Date.parse('2027-03-03T23:59:59Z')
  const days = (today - Date.parse(firstDayAt(today))) / 86_400_000
  expect(Math.ceil(days)).toBe(LIMITS.verdicts_days)
})
