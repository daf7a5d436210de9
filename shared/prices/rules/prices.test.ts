import { expect, it } from 'vitest'
import { sayUnpriced } from './prices.ts'

it('a call that cannot be told in money says how to mend it, as one command', () => {
  expect(sayUnpriced('call', "o'model 1", false)).toContain("assay prices set 'o'\\''model 1' --input USD")
  expect(sayUnpriced('call', null, false)).toContain('report its usage')
  expect(sayUnpriced('call', 'whisper-1', true)).toMatch(/whisper-1 has a price, but none .* Resume the item/)
  expect(sayUnpriced('call', 'whisper-1', true)).not.toContain('assay prices set')
})
