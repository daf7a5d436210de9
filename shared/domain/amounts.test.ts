import { expect, it } from 'vitest'
import { counted, money } from './amounts.ts'

it.each([
  [0, '$0'],
  [1234.5, '$1,234.50'],
  [0.01, '$0.01'],
  [0.00123, '$0.0012'],
  [0.0000004, '$0.0000004'],
] as const)('%d dollars are %s', (usd, text) => expect(money(usd)).toBe(text))

it('a count has its noun', () => {
  expect([counted(1, 'item'), counted(12_345, 'item')]).toEqual(['1 item', '12,345 items'])
})
