import { expect, it } from 'vitest'
import { sayUnpriced } from './prices.ts'

it('a call that cannot be told in money says how to mend it, as one command', () => {
  expect(sayUnpriced('call', "o'model 1")).toContain("assay prices set 'o'\\''model 1' --input USD")
  expect(sayUnpriced('call', null)).toContain('report its usage')
})
