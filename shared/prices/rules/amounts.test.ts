import { expect, it } from 'vitest'
import { centsOfAmount, counted, dollars, money } from './amounts.ts'

it.each([
  [0, '$0'],
  [1234.5, '$1,234.50'],
  [0.01, '$0.01'],
  [0.001234, '$0.00123'],
  [0.0000004, '$0.0000004'],
] as const)('%d dollars are shown as %s', (usd, text) => expect(money(usd)).toBe(text))

it('a count is shown with its noun', () => {
  expect([counted(1, 'item'), counted(12_345, 'item')]).toEqual(['1 item', '12,345 items'])
})

it('an amount above zero is never shown as zero', () => {
  expect([dollars(0), dollars(40), dollars(4_900), dollars(12_345_678)]).toEqual([
    '$0',
    '$0.00004',
    '$0.0049',
    '$12.35',
  ])
})

it.each([
  ['5.00', 500],
  ['5.5', 550],
  ['$5', 500],
  ['$ 5.05', 505],
  [' 500c ', 500],
  ['0.07', 7],
  ['0c', 0],
] as const)('%j has its own unit: %d cents', (text, cents) => {
  expect(centsOfAmount(text)).toBe(cents)
})

it('a number without a unit is dollars', () => {
  expect(['1', '500', '0', '5.00'].map(centsOfAmount)).toEqual([100, 50_000, 0, 500])
})

it.each(['', '.50', '5.005', '5,00', '-1', '$5c', '5.0c', '1e3', '5 dollars', '9999999999.00'])(
  '%j is not an amount',
  text => expect(centsOfAmount(text)).toBeUndefined(),
)
