import { expect, it } from 'vitest'
import type { Schemas } from '../sdk/client.ts'
import { clockText, leftText, sayEnding } from './estimate.ts'

const NOW = Date.parse('2026-03-02T01:10:00Z')
const estimate = {
  seconds: 11_400,
  ends_at: '2026-03-02T04:20:00Z',
  limited_by: 'limit' as const,
  message: 'about 3 h 10 min at 200,000 tokens a minute of api.openai.com (OPENAI_API_KEY)',
}
const unknown = {
  seconds: null,
  ends_at: null,
  limited_by: null,
  message: 'not known: no item of this agent has run yet',
}
const ending = (more: Partial<NonNullable<Schemas['Schedule']['ending']>>) => ({
  run_id: 'run',
  starts_at: null,
  items: 5000,
  deadline_at: null,
  estimate,
  ...more,
})
const say = (more: Parameters<typeof ending>[0]) => sayEnding(ending(more), 'Europe/Berlin', NOW)

it('the end of a run is printed on the clock of its schedule, with its deadline', () => {
  expect(say({ deadline_at: '2026-03-02T05:00:00Z' })).toBe(
    `ends at about 05:20, its deadline is 06:00: ${estimate.message}`,
  )
  expect(say({})).toBe(`ends at about 05:20: ${estimate.message}`)
  expect(say({ deadline_at: '2026-03-02T04:00:00Z' })).toBe(
    `ends at about 05:20, after its deadline at 05:00: ${estimate.message}`,
  )
})

it('of a run that is to start it is printed for how many items', () => {
  expect(say({ starts_at: '2026-03-02T02:00:00Z', run_id: null })).toBe(
    `the next, if it has 5,000 items, ends at about 05:20: ${estimate.message}`,
  )
})

it('an end that is not known is said to be so, beside the deadline', () => {
  expect(say({ estimate: unknown, deadline_at: '2026-03-02T05:00:00Z' })).toBe(
    'ends at a time that is not known: no item of this agent has run yet; its deadline is 06:00',
  )
})

it('a time of another day has its date, and one in a zone that is not known is in UTC', () => {
  expect(clockText('2026-03-05T04:20:00Z', 'Europe/Berlin', NOW)).toBe('Thu 5 Mar 05:20')
  expect(clockText('2026-03-02T04:20:00Z', 'Mars/Base', NOW)).toBe('04:20 UTC')
})

it('what is left is less as time passes, and never nothing', () => {
  expect(leftText(estimate, NOW)).toBe('about 3 h 10 min')
  expect(leftText(estimate, NOW + 3_600_000)).toBe('about 2 h 10 min')
  expect(leftText(estimate, NOW + 86_400_000)).toBe('about 1 s')
  expect(leftText(unknown, NOW)).toBe(unknown.message)
})
