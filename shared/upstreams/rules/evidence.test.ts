import { expect, it } from 'vitest'
import { Evidence } from './evidence.ts'

const HOUR = 3_600_000

/** A call that was answered at once. */
const at = (now_ms: number, has_moment: boolean, status: number | null = 503) => ({
  now_ms,
  began_ms: now_ms,
  has_moment,
  status,
})

it('closes nothing for one item whose calls fail while others are served', () => {
  const evidence = new Evidence()
  let closed = false
  for (let i = 0; i < 50; i++) {
    const now = HOUR + i * 100
    evidence.succeeded(now - 50, now)
    closed ||= evidence.failed('poison', 'refused', at(now, false))
    closed ||= evidence.failed('poison', 'overloaded', at(now, false))
    closed ||= evidence.failed('poison', 'rate', at(now, false))
  }
  expect(closed).toBe(false)
})

it.each(['refused', 'quota', 'overloaded', 'away', 'cut'] as const)(
  'closes for %s once three items have met it and none was served meanwhile',
  fault => {
    const evidence = new Evidence()
    evidence.succeeded(HOUR - 10, HOUR)
    expect(evidence.failed('a', fault, at(HOUR + 1, false))).toBe(false)
    expect(evidence.failed('b', fault, at(HOUR + 2, false))).toBe(false)
    expect(evidence.failed('c', fault, at(HOUR + 3, false))).toBe(true)
  },
)

it('does not take a call that began before the first failure for one that speaks for the upstream', () => {
  const evidence = new Evidence()
  evidence.succeeded(HOUR - 10, HOUR)
  evidence.failed('a', 'overloaded', at(HOUR + 1, false))
  evidence.succeeded(HOUR - 5000, HOUR + 2) // a slow answer, from before
  evidence.failed('b', 'overloaded', at(HOUR + 3, false))
  expect(evidence.failed('c', 'overloaded', at(HOUR + 4, false))).toBe(true)
})

it('starts again from a call that began after the first failure and went well', () => {
  const evidence = new Evidence()
  evidence.succeeded(HOUR - 10, HOUR)
  evidence.failed('a', 'refused', at(HOUR + 1, false))
  evidence.failed('b', 'refused', at(HOUR + 2, false))
  evidence.succeeded(HOUR + 3, HOUR + 4)
  expect(evidence.failed('c', 'refused', at(HOUR + 5, false))).toBe(false)
})

it('closes for one call where nobody was served for a while, unless the call may be its own fault', () => {
  expect(new Evidence().failed('a', 'away', at(HOUR, false))).toBe(true)
  expect(new Evidence().failed('a', 'overloaded', at(HOUR, false))).toBe(true)
  expect(new Evidence().failed('a', 'overloaded', at(HOUR, false, 500))).toBe(false)
  expect(new Evidence().failed('a', 'cut', at(HOUR, false))).toBe(false)
  expect(new Evidence().failed('a', 'quota', at(HOUR, false))).toBe(false)
  expect(new Evidence().failed('a', 'refused', at(HOUR, false))).toBe(false)
})

it('cools at once for a refusal that names its moment, and for two that name none', () => {
  expect(new Evidence().failed('a', 'rate', at(HOUR, true))).toBe(true)
  const evidence = new Evidence()
  expect(evidence.failed('a', 'rate', at(HOUR, false))).toBe(false)
  expect(evidence.failed('b', 'rate', at(HOUR, false))).toBe(true)
})

it('does not take quick refusals of some for all, while the calls of others are still worked on', () => {
  const evidence = new Evidence()
  evidence.succeeded(HOUR - 10, HOUR)
  for (let i = 0; i < 50; i++) evidence.began(HOUR)
  evidence.failed('a', 'refused', at(HOUR, false))
  for (let i = 0; i < 50; i++) evidence.began(HOUR + i)
  expect(evidence.failed('b', 'refused', at(HOUR + 400, false))).toBe(false)
  expect(evidence.failed('c', 'refused', at(HOUR + 800, false))).toBe(false)
})

it('closes although older calls are still worked on', () => {
  const evidence = new Evidence()
  for (let i = 0; i < 250; i++) evidence.began(HOUR - 2000)
  evidence.succeeded(HOUR - 2000, HOUR - 10)
  const closed = ['a', 'b', 'c'].map(item => {
    evidence.began(HOUR)
    return evidence.failed(item, 'refused', at(HOUR, false))
  })
  expect(closed).toEqual([false, false, true])
})

it('closes for nothing that is the request’s own', () => {
  const evidence = new Evidence()
  for (const item of ['a', 'b', 'c', 'd'])
    for (const fault of ['rejected', 'provider_error'] as const)
      expect(evidence.failed(item, fault, at(HOUR, false))).toBe(false)
})

it('counts no item again that was refused while others were served, so that the last ones of a run close nothing', () => {
  const evidence = new Evidence()
  for (const [n, item] of ['a', 'b', 'c', 'd'].entries()) {
    evidence.failed(item, 'refused', at(HOUR + n, false))
    evidence.succeeded(HOUR + n + 0.1, HOUR + n + 0.5)
  }
  const closed = ['a', 'b', 'c', 'd', 'a', 'b'].map(item =>
    evidence.failed(item, 'refused', at(HOUR + 100, false)),
  )
  expect(closed).not.toContain(true)
  const others = ['e', 'f', 'g'].map(item => evidence.failed(item, 'refused', at(HOUR + 200, false)))
  expect(others).toEqual([false, false, true])
})

it('closes for no 500, which single inputs get', () => {
  const evidence = new Evidence()
  const items = Array.from({ length: 50 }, (_, n) => `item ${n}`)
  expect(items.map(item => evidence.failed(item, 'overloaded', at(HOUR, false, 500)))).not.toContain(true)
})
