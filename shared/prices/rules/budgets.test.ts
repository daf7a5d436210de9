import { expect, it } from 'vitest'
import { saySpent } from './budgets.ts'
import { periodEnd, spendDayAt } from './spend-days.ts'

it.each([
  ['a day of 24 hours', '2026-06-15T12:00:00Z', 'UTC', '2026-06-15', '2026-06-16T00:00:00.000Z'],
  [
    'the last second of a day',
    '2026-06-15T21:59:59.999Z',
    'Europe/Berlin',
    '2026-06-15',
    '2026-06-15T22:00:00.000Z',
  ],
  [
    'the first second of a day',
    '2026-06-15T22:00:00Z',
    'Europe/Berlin',
    '2026-06-16',
    '2026-06-16T22:00:00.000Z',
  ],
  ['a day of 23 hours', '2026-03-29T01:30:00Z', 'Europe/Berlin', '2026-03-29', '2026-03-29T22:00:00.000Z'],
  ['a day of 25 hours', '2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25', '2026-10-25T23:00:00.000Z'],
  [
    'a day before one whose midnight is skipped',
    '2018-11-03T12:00:00Z',
    'America/Sao_Paulo',
    '2018-11-03',
    '2018-11-04T03:00:00.000Z',
  ],
  [
    'a day whose midnight comes twice',
    '2018-02-17T12:00:00Z',
    'America/Sao_Paulo',
    '2018-02-17',
    '2018-02-18T03:00:00.000Z',
  ],
  [
    'a day in a zone with an offset of a quarter of an hour',
    '2026-06-15T18:14:00Z',
    'Asia/Kathmandu',
    '2026-06-15',
    '2026-06-15T18:15:00.000Z',
  ],
])('%s ends when the next day of its timezone begins', (_, at, zone, day, ends) => {
  const found = spendDayAt(Date.parse(at), zone)
  expect([found.day, found.ends_at.toISOString()]).toEqual([day, ends])
  expect(periodEnd(day, 'day', zone)).toEqual(found.ends_at)
})

it.each([
  ['2026-02-28', 'UTC', '2026-03-01T00:00:00.000Z'],
  ['2026-12-31', 'America/New_York', '2027-01-01T05:00:00.000Z'],
  ['2026-03-31', 'Europe/Berlin', '2026-03-31T22:00:00.000Z'],
])('the month of %s in %s ends at %s', (day, zone, ends) => {
  expect(periodEnd(day, 'month', zone).toISOString()).toBe(ends)
})

it('a spent budget is reported with its owner, and with its end in its own timezone', () => {
  const ends_at = new Date('2026-03-29T22:00:00Z')
  const budget = {
    period: 'day',
    agent_slug: 'triage',
    limit_micro: 5_000_000,
    spent_micro: 5_000_000,
    ends_at,
  } as const
  expect(saySpent(budget, 'Europe/Berlin')).toBe(
    "The day's budget of agent triage ($5.00) is spent; the item continues at 2026-03-30 00:00 Europe/Berlin, or as soon as the budget is raised.",
  )
})
