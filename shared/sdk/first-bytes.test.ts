import { expect, it } from 'vitest'
import { FirstBytes } from './first-bytes.ts'

const learned = (answers: number, after_ms: (n: number) => number) => {
  const known = new FirstBytes()
  for (let n = 0; n < answers; n++) known.answered(after_ms(n))
  return known
}

it('gives no call up before 200 answers were seen', () => {
  expect(learned(199, () => 800).bound_ms()).toBeUndefined()
  expect(learned(200, () => 800).bound_ms()).toBe(60_000)
})

it('waits for four times as long as 99 of 100 answers take, and at least a minute', () => {
  const slow = learned(1000, n => (n % 100 === 0 ? 300_000 : 30_000)).bound_ms()!
  expect(slow).toBeGreaterThan(4 * 30_000)
  expect(slow).toBeLessThan(4 * 30_000 * 1.5)
})

it('waits twice as long after it gave one up', () => {
  const known = learned(1000, () => 30_000)
  const before = known.bound_ms()!
  for (let call = 0; call < 100; call++) known.gaveUp(before)
  expect(known.bound_ms()).toBe(2 * before)
})

it('waits for as long as is declared, whatever it learned', () => {
  const known = learned(1000, () => 30_000)
  known.declared_ms = 5000
  known.gaveUp(5000)
  expect(known.bound_ms()).toBe(5000)
})
