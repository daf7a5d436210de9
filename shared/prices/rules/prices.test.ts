import { expect, it } from 'vitest'
import { sayUnpriced } from './prices.ts'

it('an unpriced call says how to price it, with one command if possible', () => {
  expect(sayUnpriced('call', "o'model 1", false)).toContain("assay prices set 'o'\\''model 1' --input USD")
  expect(sayUnpriced('call', null, false)).toContain('report its usage')
  expect(sayUnpriced('call', 'whisper-1', true)).toMatch(/whisper-1 has a price, but none .* Resume the item/)
  expect(sayUnpriced('call', 'whisper-1', true)).not.toContain('assay prices set')
})
