import { expect, it } from 'vitest'
import { Evidence } from './evidence.ts'

const HOUR = 3_600_000

it('closes nothing for one item whose calls fail while others are served', () => {
  const evidence = new Evidence()
  let closed = false
  for (let i = 0; i < 50; i++) {
    const now = HOUR + i * 100
    evidence.succeeded(now - 50, now)
    closed ||= evidence.failed('poison', 'refused', false, now)
    closed ||= evidence.failed('poison', 'overloaded', false, now)
    closed ||= evidence.failed('poison', 'rate', false, now)
  }
  expect(closed).toBe(false)
})

it.each(['refused', 'quota', 'overloaded', 'away', 'cut'] as const)(
  'closes for %s once three items have met it and none was served meanwhile',
  fault => {
    const evidence = new Evidence()
    evidence.succeeded(HOUR - 10, HOUR)
    expect(evidence.failed('a', fault, false, HOUR + 1)).toBe(false)
    expect(evidence.failed('b', fault, false, HOUR + 2)).toBe(false)
    expect(evidence.failed('c', fault, false, HOUR + 3)).toBe(true)
  },
)

it('does not take a call that began before the first failure for one that speaks for the upstream', () => {
  const evidence = new Evidence()
  evidence.succeeded(HOUR - 10, HOUR)
  evidence.failed('a', 'overloaded', false, HOUR + 1)
  evidence.succeeded(HOUR - 5000, HOUR + 2) // a slow answer, from before
  evidence.failed('b', 'overloaded', false, HOUR + 3)
  expect(evidence.failed('c', 'overloaded', false, HOUR + 4)).toBe(true)
})

it('starts again from a call that began after the first failure and went well', () => {
  const evidence = new Evidence()
  evidence.succeeded(HOUR - 10, HOUR)
  evidence.failed('a', 'refused', false, HOUR + 1)
  evidence.failed('b', 'refused', false, HOUR + 2)
  evidence.succeeded(HOUR + 3, HOUR + 4)
  expect(evidence.failed('c', 'refused', false, HOUR + 5)).toBe(false)
})

it('closes for one call where nobody was served for a while, unless the call may be its own fault', () => {
  expect(new Evidence().failed('a', 'away', false, HOUR)).toBe(true)
  expect(new Evidence().failed('a', 'overloaded', false, HOUR)).toBe(true)
  expect(new Evidence().failed('a', 'cut', false, HOUR)).toBe(false)
  expect(new Evidence().failed('a', 'quota', false, HOUR)).toBe(false)
  expect(new Evidence().failed('a', 'refused', false, HOUR)).toBe(false)
})

it('cools at once for a refusal that names its moment, and for two that name none', () => {
  expect(new Evidence().failed('a', 'rate', true, HOUR)).toBe(true)
  const evidence = new Evidence()
  expect(evidence.failed('a', 'rate', false, HOUR)).toBe(false)
  expect(evidence.failed('b', 'rate', false, HOUR)).toBe(true)
})

it('closes for nothing that is the request’s own', () => {
  const evidence = new Evidence()
  for (const item of ['a', 'b', 'c', 'd'])
    for (const fault of ['rejected', 'provider_error'] as const)
      expect(evidence.failed(item, fault, false, HOUR)).toBe(false)
})
