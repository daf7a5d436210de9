import { expect, it } from 'vitest'
import { nextOf } from './stopped.ts'

const FRESH = {
  is_closed: false,
  others_served: true,
  stops: 0,
  refusals: 0,
  cut_answers: 0,
  retry_after_ms: null,
  is_unsent: false,
}

it('waits for an upstream that is closed, however often', () => {
  for (const stops of [0, 1, 2, 50, 30_000])
    for (const fault of ['rate', 'overloaded', 'away', 'quota', 'refused'] as const)
      expect(nextOf({ ...FRESH, fault, is_closed: true, others_served: false, stops })).toEqual({
        is: 'waiting',
      })
})

it('tries a refusal again, and blames the item for the third while others are served', () => {
  const third = [0, 1, 2].map(n => nextOf({ ...FRESH, fault: 'refused', stops: n, refusals: n }))
  expect(third).toEqual([{ is: 'again', delay_ms: 1000 }, { is: 'again', delay_ms: 2000 }, { is: 'its own' }])
})

it('blames an item for what no other is there to meet, after three times', () => {
  expect(nextOf({ ...FRESH, fault: 'refused', others_served: false, stops: 2 })).toEqual({ is: 'its own' })
})

it('blames an item that closes its upstream again and again while others are served between', () => {
  const next = (refusals: number) => nextOf({ ...FRESH, fault: 'rate', is_closed: true, refusals })
  expect(next(2)).toEqual({ is: 'waiting' })
  expect(next(5)).toEqual({ is: 'its own' })
})

it('comes back at the moment that a refusal names, within a minute', () => {
  expect(nextOf({ ...FRESH, fault: 'rate', retry_after_ms: 7300 })).toEqual({ is: 'again', delay_ms: 7300 })
  expect(nextOf({ ...FRESH, fault: 'rate', retry_after_ms: 9e9 })).toEqual({ is: 'again', delay_ms: 60_000 })
})

it('sends an item three times whose answer is cut, in every state', () => {
  const cut = { ...FRESH, fault: 'cut' as const }
  expect(nextOf(cut)).toEqual({ is: 'again', delay_ms: 0 })
  expect(nextOf({ ...cut, cut_answers: 1 })).toEqual({ is: 'again', delay_ms: 0 })
  expect(nextOf({ ...cut, cut_answers: 2 })).toEqual({ is: 'cut too often' })
  expect(nextOf({ ...cut, is_closed: true, cut_answers: 1 })).toEqual({ is: 'waiting' })
  expect(nextOf({ ...cut, is_closed: true, cut_answers: 2 })).toEqual({ is: 'cut too often' })
})

it('leaves to the agent’s retries what is the request’s own', () => {
  for (const fault of ['rejected', 'provider_error'] as const)
    expect(nextOf({ ...FRESH, fault, is_closed: true })).toEqual({ is: 'its own' })
})

it('blames no item for a connection that was refused, however often others got one', () => {
  const unsent = { ...FRESH, fault: 'away' as const, is_unsent: true }
  for (const n of [0, 2, 5, 30_000]) {
    expect(nextOf({ ...unsent, stops: n, refusals: n })).toEqual({ is: 'again', delay_ms: 1000 })
    expect(nextOf({ ...unsent, stops: n, refusals: n, is_closed: true })).toEqual({ is: 'waiting' })
  }
})
