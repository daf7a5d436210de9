import { expect, it } from 'vitest'
import { isPriced, pricesAt, sayUnpriced } from './prices.ts'

const price = (model: string, effective_ms: number, input_per_mtok: number) => ({
  model,
  effective_ms,
  input_per_mtok,
  output_per_mtok: 1,
})

it('a model has the latest of its prices that has begun', () => {
  const prices = [price('m', 200, 2), price('m', 100, 1), price('n', 300, 3)]
  expect(pricesAt(prices, 99)).toEqual({})
  expect(pricesAt(prices, 100)).toEqual({ m: { input_per_mtok: 1, output_per_mtok: 1 } })
  expect(pricesAt(prices, 250)?.m?.input_per_mtok).toBe(2)
  expect(pricesAt(null, 250)).toBeUndefined()
})

it('a model is priced by its own price from its date on, or by the list', () => {
  expect(isPriced('m', [price('m', 100, 1)], 99)).toBe(false)
  expect(isPriced('m', [price('m', 100, 1)], 100)).toBe(true)
  expect(isPriced('gpt-4o', null, 0)).toBe(true)
})

it('a call that cannot be told in money says how to mend it, as one command', () => {
  expect(sayUnpriced('call', "o'model 1")).toContain("assay prices set 'o'\\''model 1' --input USD")
  expect(sayUnpriced('call', null)).toContain('report its usage')
})
