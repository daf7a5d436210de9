import { expect, it } from 'vitest'
import { isOftenWrong, precisionOf } from './verdicts.ts'

it.each([
  ['too few to say', { confirmed: 0, wrong: 19 }, false],
  ['just enough', { confirmed: 15, wrong: 5 }, true],
  ['a fifth and no more', { confirmed: 16, wrong: 4 }, false],
  ['many, mostly right', { confirmed: 900, wrong: 100 }, false],
] as const)('a reason is often wrong: %s', (_, counts, often) => {
  expect(isOftenWrong(counts)).toBe(often)
})

it('its precision is the share that was right', () => {
  expect(precisionOf({ confirmed: 3, wrong: 1 })).toBe(0.75)
})
