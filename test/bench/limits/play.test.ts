// Checks how the bench reads when the pace was back.

import { expect, it } from 'vitest'
import type { Second } from '../../support/provider.ts'
import { backAfter } from './play.ts'
import { scenarios } from './scenarios.ts'

const [outage] = scenarios(true).filter(({ name }) => name.includes('503'))
const scenario = { ...outage!, from_s: 5, for_s: 4 }
const seconds = (oks: number[]): Second[] => oks.map((ok, at) => ({ at, calls: ok, ok, refused: 0, cut: 0 }))

it('is back once three seconds in a row had 90 % of the pace before on average', () => {
  const before = [0, 40, 100, 100, 100] // the first two seconds are no pace
  expect(backAfter(seconds([...before, 0, 0, 0, 0, 100, 100, 100]), scenario)).toBe(0)
  expect(backAfter(seconds([...before, 0, 0, 0, 0, 0, 10, 90, 90, 90]), scenario)).toBe(2)
  expect(backAfter(seconds([...before, 0, 0, 0, 0, 80, 80, 80]), scenario)).toBe(null)
  expect(backAfter(seconds(before), scenario)).toBe(null)
  expect(backAfter(seconds(before), { ...scenario, for_s: null })).toBe(null)
})
