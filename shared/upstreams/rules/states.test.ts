import { expect, it } from 'vitest'
import { FAULTS } from '../vocabulary.ts'
import { CLOSED_STATES, stateOf, waitOf } from './states.ts'

const waits = (state: keyof typeof CLOSED_STATES, count: number) => {
  let lasted_ms = 0
  return Array.from({ length: count }, (_, probes) => {
    const wait_ms = waitOf(state, { probes, lasted_ms, moment_ms: null })
    lasted_ms += wait_ms
    return wait_ms / 1000
  })
}

it('tries what is away after 1, 2 and 4 seconds, then each 5 for ten minutes, then each minute', () => {
  expect(waits('away', 5)).toEqual([1, 2, 4, 5, 5])
  const all = waits('away', 140)
  expect(all.slice(0, 100).every(wait => wait <= 5)).toBe(true)
  expect(all.at(-1)).toBe(60)
})

it.each(['cooling', 'out_of_credit', 'refused'] as const)(
  'tries what is %s less and less often, at least each minute',
  state => {
    expect(waits(state, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  },
)

it('believes a moment for a minute, then twice as long at each probe, never for more than a quarter of an hour', () => {
  const wait = (moment_s: number, probes = 0) =>
    waitOf('cooling', { probes, lasted_ms: 0, moment_ms: moment_s * 1000 }) / 1000
  expect(wait(7)).toBe(7)
  expect(wait(86_400)).toBe(60)
  expect(wait(86_400, 1)).toBe(120)
  expect(wait(86_400, 30)).toBe(900)
})

it('has one state for each fault that is not the request’s own', () => {
  const none = FAULTS.filter(fault => stateOf(fault) === undefined)
  expect(none).toEqual(['rejected', 'provider_error'])
  const named = Object.values(CLOSED_STATES).flatMap(({ faults }) => faults)
  expect(new Set(named).size).toBe(named.length)
})
