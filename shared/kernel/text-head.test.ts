import { expect, it } from 'vitest'
import { headOf, shortened } from './text-head.ts'

it('a text within the bound stays as it is', () => {
  expect([headOf('four', 4), shortened('four', 4), shortened('', 4)]).toEqual(['four', 'four', ''])
})

it('a longer text is cut between characters, and marked', () => {
  expect([headOf('abcdef', 4), shortened('abcdef', 4)]).toEqual(['abcd', 'abc…'])
  expect([headOf('abc😀', 4), shortened('ab😀cd', 4)]).toEqual(['abc', 'ab…'])
})
