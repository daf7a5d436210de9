import { describe, expect, it } from 'vitest'
import { parseCron } from './cron.ts'
import { firesAfter, nextFires, overdueMoments } from './fire-times.ts'

const iso = (at: number | null) => at && new Date(at).toISOString().replace(':00.000Z', 'Z')
const next = (cron: string, zone: string, after: string, count: number) =>
  nextFires(parseCron(cron), zone, Date.parse(after), count).map(iso)

describe('when the clock goes forward [schedules.gap-and-overlap]', () => {
  it('a time that does not exist is skipped, not moved', () => {
    // Berlin, 29 March 2026: 02:00 is 03:00.
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', 2)).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-30T00:30Z',
    ])
  })

  it('by a whole day, that day is skipped', () => {
    // Apia had no 30 December 2011.
    expect(next('0 12 * * *', 'Pacific/Apia', '2011-12-29T00:00Z', 2)).toEqual([
      '2011-12-29T22:00Z',
      '2011-12-30T22:00Z',
    ])
  })

  it('at midnight, that midnight is skipped', () => {
    // Cairo, 24 April 2026: 00:00 is 01:00.
    expect(next('0 0 * * *', 'Africa/Cairo', '2026-04-22T22:30Z', 2)).toEqual([
      '2026-04-24T21:00Z',
      '2026-04-25T21:00Z',
    ])
  })
})

describe('when the clock goes back [schedules.gap-and-overlap]', () => {
  it('a time that occurs twice fires the first time only', () => {
    // New York, 1 November 2026: 02:00 is 01:00 again.
    expect(next('30 1 * * *', 'America/New_York', '2026-11-01T00:00Z', 2)).toEqual([
      '2026-11-01T05:30Z',
      '2026-11-02T06:30Z',
    ])
  })

  it('nothing fires in the second of the two hours, even if the search begins within it', () => {
    expect(next('*/30 * * * *', 'America/New_York', '2026-11-01T05:10Z', 2)).toEqual([
      '2026-11-01T05:30Z',
      '2026-11-01T07:00Z',
    ])
    expect(next('*/30 * * * *', 'America/New_York', '2026-11-01T06:10Z', 1)).toEqual(['2026-11-01T07:00Z'])
  })

  it('by half an hour, that half hour fires once', () => {
    // Lord Howe, 5 April 2026: 02:00 is 01:30 again.
    expect(next('*/15 * * * *', 'Australia/Lord_Howe', '2026-04-04T14:29Z', 4)).toEqual([
      '2026-04-04T14:30Z',
      '2026-04-04T14:45Z',
      '2026-04-04T15:30Z',
      '2026-04-04T15:45Z',
    ])
  })
})

it('a fire time just before a clock change is found from half a year away', () => {
  expect(next('0 12 28 3 *', 'Europe/London', '2025-09-01T00:00Z', 1)).toEqual(['2026-03-28T12:00Z'])
  expect(next('0 12 24 10 *', 'Europe/London', '2025-12-01T00:00Z', 1)).toEqual(['2026-10-24T11:00Z'])
})

it('fire times are marked as skipped or repeated', () => {
  const kindsOf = (cron: string, zone: string, after: string, count: number) => {
    const fires = firesAfter(parseCron(cron), zone, Date.parse(after))
    return Array.from({ length: count }, () => {
      const { at, repeated } = fires.next().value
      return at === null ? 'skipped' : repeated ? 'repeated' : 'once'
    })
  }
  expect(kindsOf('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', 3)).toEqual(['once', 'skipped', 'once'])
  expect(kindsOf('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:45Z', 4)).toEqual([
    'repeated',
    'repeated',
    'once',
    'once',
  ])
})

describe('overdue fire times', () => {
  const from = new Date('2026-03-02T09:00Z')
  const overdue = (now: string, room: number) => {
    const { moments, next_at, caught_up } = overdueMoments(
      parseCron('0 * * * *'),
      'UTC',
      from,
      new Date(now),
      room,
    )
    return [moments.map(at => at.getUTCHours()), next_at.getUTCHours(), caught_up]
  }

  it('begin with the given moment and end with now', () => {
    expect(overdue('2026-03-02T11:00Z', 10)).toEqual([[9, 10, 11], 12, true])
    expect(overdue('2026-03-02T10:59Z', 10)).toEqual([[9, 10], 11, true])
    expect(overdue('2026-03-02T08:59Z', 10)).toEqual([[], 9, true])
  })

  it('are limited in number, and say whether there are more', () => {
    expect(overdue('2026-03-02T11:00Z', 2)).toEqual([[9, 10], 11, false])
    expect(overdue('2026-03-02T11:00Z', 3)).toEqual([[9, 10, 11], 12, true])
  })
})
