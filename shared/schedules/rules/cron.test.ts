import { CronExpressionParser } from 'cron-parser'
import { describe, expect, it } from 'vitest'
import { checkCron, normalCron, parseCron, type ScheduleError, wallMinutes } from './cron.ts'

function refusal(text: string): ScheduleError {
  try {
    checkCron(text)
  } catch (error) {
    return error as ScheduleError
  }
  throw new Error(`${text} was accepted`)
}

describe('an expression that is not five standard fields is refused', () => {
  it.each([
    ['', 'is empty'],
    ['   ', 'is empty'],
    ['* * * *', 'has 4 fields'],
    ['0 0 * * * *', 'has six fields'],
    ['* * * * * * *', 'has 7 fields'],
    ['@daily', 'is a nickname'],
    ['@every 5m', 'is a nickname'],
    ['TZ=UTC 0 9 * * *', 'begins with a zone'],
    ['CRON_TZ=Europe/Berlin 0 9 * * *', 'begins with a zone'],
    ['60 * * * *', 'the minute "60"'],
    ['* 24 * * *', 'the hour "24"'],
    ['* * 0 * *', 'the day of the month "0"'],
    ['* * 32 * *', 'the day of the month "32"'],
    ['* * * 13 *', 'the month "13"'],
    ['* * * FOO *', 'the month "FOO"'],
    ['* * * * 8', 'the day of the week "8"'],
    ['* * * MON *', 'the month "MON"'],
    ['-5 * * * *', 'the minute "-5"'],
    ['1.5 * * * *', 'the minute "1.5"'],
    ['٣ * * * *', 'the minute "٣"'],
    ['1,,2 * * * *', 'the minute ""'],
    ['1-2-3 * * * *', 'the minute "1-2-3"'],
    ['*-5 * * * *', 'the minute "*"'],
    ['*/0 * * * *', 'the step "0" for the minute'],
    ['*/90 * * * *', 'the step "90" for the minute'],
    ['*/1e1 * * * *', 'the step "1e1" for the minute'],
    ['0/15 * * * *', 'a step after a single minute'],
    ['50-10 * * * *', 'the range "50-10" for the minute, which runs backwards'],
    ['0 0 * * FRI-SUN', 'the range "FRI-SUN" for the day of the week'],
    ['0 0 30 2 *', 'never comes'],
    ['0 0 31 4,6,9,11 *', 'never comes'],
    [`${'0,'.repeat(200)}0 * * * *`, 'is longer than 256 characters'],
  ])('%s', (text, said) => {
    const error = refusal(text)
    expect(error).toMatchObject({ code: 'invalid_cron', message: expect.stringContaining(said) })
  })

  it.each(['0 0 L * *', '0 0 15W * *', '0 0 * * MON#2', '0 0 * * 5L', '0 0 ? * *', 'H * * * *'])(
    '%s, saying that it is an extension',
    text => expect(refusal(text).hint).toContain('extensions'),
  )

  it('with what to write instead, where that is known', () => {
    expect(refusal('0/15 * * * *').hint).toBe('Write 0-59/15.')
    expect(refusal('0 0 * * FRI-SUN').hint).toBe('Sunday ends a range as 7: FRI-7.')
    expect(refusal('0 22-2 * * *').hint).toBe('Write it as two: 22-23,0-2.')
  })
})

describe('the days that a cron expression matches', () => {
  const days = (text: string, count: number, after = '2026-01-01T00:00') => {
    const minutes = wallMinutes(parseCron(text), Date.parse(`${after}Z`) / 60_000 - 1)
    return Array.from({ length: count }, () =>
      new Date(minutes.next().value * 60_000).toISOString().slice(0, 16),
    )
  }

  it('match either field if day of month and day of week are both restricted', () => {
    // 2026-01-05 is a Monday.
    expect(days('0 0 3,13 * MON', 4)).toEqual([
      '2026-01-03T00:00',
      '2026-01-05T00:00',
      '2026-01-12T00:00',
      '2026-01-13T00:00',
    ])
  })

  it('match the restricted field if the other one is *', () => {
    expect(days('0 0 * * MON', 2)).toEqual(['2026-01-05T00:00', '2026-01-12T00:00'])
    expect(days('0 0 13 * *', 2)).toEqual(['2026-01-13T00:00', '2026-02-13T00:00'])
    expect(days('0 0 */1 * MON', 1)).toEqual(['2026-01-05T00:00'])
  })

  it('are also restricted by a step', () => {
    expect(days('0 0 */10 * MON', 4)).toEqual([
      '2026-01-01T00:00',
      '2026-01-05T00:00',
      '2026-01-11T00:00',
      '2026-01-12T00:00',
    ])
  })

  it('include Sunday as 0 and as 7', () => {
    expect(days('0 0 * * 7', 2)).toEqual(days('0 0 * * 0', 2))
    expect(days('0 0 * * 5-7', 3)).toEqual(['2026-01-02T00:00', '2026-01-03T00:00', '2026-01-04T00:00'])
  })

  it('skip months that do not have the day', () => {
    expect(days('0 0 31 * *', 3)).toEqual(['2026-01-31T00:00', '2026-03-31T00:00', '2026-05-31T00:00'])
    expect(days('0 0 31 2 FRI', 1)).toEqual(['2026-02-06T00:00'])
  })

  it('are found across the eight years that may lie between two leap days', () => {
    expect(days('59 23 29 2 *', 2, '2096-02-29T23:59')).toEqual(['2096-02-29T23:59', '2104-02-29T23:59'])
  })
})

it('names may be in any case, and several blanks between fields count as one', () => {
  expect(parseCron('0 0 * jan-Mar sUn')).toEqual(parseCron('0 0 * 1-3 0'))
  expect(normalCron(' 0\t9  * * MON ')).toBe('0 9 * * MON')
})

it('fields are read as cron-parser reads them', () => {
  const texts = ['*/7 1-5,22 1,15 */2 MON-FRI', '0,30 0 * * 0', '5-55/10 */6 28-31 FEB-APR 6,7', '* * * * *']
  for (const text of texts) {
    const { fields } = CronExpressionParser.parse(text)
    const cron = parseCron(text)
    expect(cron.minutes).toEqual(fields.minute.values)
    expect(cron.hours).toEqual(fields.hour.values)
    expect([...cron.days]).toEqual(fields.dayOfMonth.values)
    expect([...cron.months]).toEqual(fields.month.values)
    expect(cron.weekdays).toEqual(new Set(fields.dayOfWeek.values.map(day => Number(day) % 7)))
  }
})
