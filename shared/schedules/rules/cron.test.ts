import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CRON_FIELDS, referenceValues } from '../../../test/support/cron-reference.ts'
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
    ['*-5 * * * *', 'the minute "*-5"'],
    ['5-70 * * * *', 'the minute "70"'],
    ['70-5 * * * *', 'the minute "70"'],
    ['007 * * * *', 'the minute "007"'],
    ['0x7 * * * *', 'the minute "0x7"'],
    ['* * * 1FEB *', 'the month "1FEB"'],
    ['* * * JANFEB *', 'the month "JANFEB"'],
    ['* * * * MAR', 'the day of the week "MAR"'],
    ['0~30 * * * *', 'the minute "0~30"'],
    ['*/0 * * * *', 'the step "0" for the minute'],
    ['*/90 * * * *', 'the step "90" for the minute'],
    ['*/1e1 * * * *', 'the step "1e1" for the minute'],
    ['*/0001 * * * *', 'the step "0001" for the minute'],
    ['1-5/60 * * * *', 'the step "60" for the minute'],
    ['MON/2 * * * *', 'a step after a single minute'],
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

  const last =
    'Five fields cannot say it. Instead of the last day of a month take the 1st, shortly after midnight.'
  it.each([
    ['0 0 L * *', 'the day of the month "L", an extension: L for the last one', last],
    ['0 0 1,L * *', 'the day of the month "L", an extension: L for the last one', last],
    ['0 0 L-3 * *', 'the day of the month "L-3", an extension: L for the last one', last],
    ['0 0 * * 5L', 'the day of the week "5L", an extension: L for the last one', last],
    ['0 0 * * friL', 'the day of the week "friL", an extension: L for the last one', last],
    [
      '0 0 15W * *',
      'the day of the month "15W", an extension: W for the nearest workday',
      'Five fields cannot say it.',
    ],
    [
      '0 0 LW * *',
      'the day of the month "LW", an extension: W for the nearest workday',
      'Five fields cannot say it.',
    ],
    [
      '0 0 * * MON#2',
      'the day of the week "MON#2", an extension: # for one of the weeks of a month',
      'Five fields cannot say it.',
    ],
    ['0 0 ? * *', 'the day of the month "?", an extension: ? for no value', 'Write *.'],
    ['0 0 1 * ?/2', 'the day of the week "?/2", an extension: ? for no value', 'Write *.'],
    ['H * * * *', 'the minute "H", an extension: H for a value that the scheduler picks', 'Write a value.'],
    ['0 H/6 * * *', 'the hour "H/6", an extension: H for a value that the scheduler picks', 'Write a value.'],
    [
      'H(0-29)/10 * * * *',
      'the minute "H(0-29)/10", an extension: H for a value that the scheduler picks',
      'Write a value.',
    ],
  ])('%s, naming the extension and the field', (text, said, hint) =>
    expect(refusal(text)).toMatchObject({ message: `The cron expression has ${said}.`, hint }),
  )

  const five = 'Write five fields: minute, hour, day of the month, month, day of the week.'
  it.each([
    ['@yearly', 'Write "0 0 1 1 *".'],
    ['@annually', 'Write "0 0 1 1 *".'],
    ['@monthly', 'Write "0 0 1 * *".'],
    ['@weekly', 'Write "0 0 * * 0".'],
    ['@daily', 'Write "0 0 * * *".'],
    ['@Daily', 'Write "0 0 * * *".'],
    ['@midnight', 'Write "0 0 * * *".'],
    ['@hourly', 'Write "0 * * * *".'],
    ['@minutely', 'Write "* * * * *".'],
    ['@weekdays', 'Write "0 0 * * 1-5".'],
    ['@weekends', 'Write "0 0 * * 0,6".'],
    ['@secondly', 'Five fields cannot say it.'],
    ['@reboot', 'Five fields cannot say it.'],
    ['@every 5m', five],
    ['@nightly', five],
  ])('the nickname %s, with its five fields if it has any', (text, hint) => {
    expect(refusal(text)).toMatchObject({
      code: 'invalid_cron',
      message: `The cron expression "${text}" is a nickname.`,
      hint,
    })
    const [, instead] = /"(.+)"/.exec(hint) ?? []
    if (instead !== undefined) checkCron(instead)
  })

  it('with what to write instead, where that is known', () => {
    expect(refusal('0/15 * * * *').hint).toBe('Write 0-59/15.')
    expect(refusal('0 0 * * FRI-SUN').hint).toBe('Sunday ends a range as 7: FRI-7.')
    expect(refusal('0 22-2 * * *').hint).toBe('Write it as two: 22-23,0-2.')
    expect(refusal('0 0 9 * * *').hint).toBe('Leave out the seconds in front, or the year at the end.')
    expect(refusal('0 0 * * MONDAY').hint).toBe(
      'It goes from 0 to 7, or SUN to SAT; with "*", lists, ranges and steps.',
    )
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

describe('the values of the fields', () => {
  /** A list of values, names, ranges and *, the latter two also with a step. */
  const list = ({ min, max, names }: (typeof CRON_FIELDS)[number]) => {
    const value = fc.integer({ min, max })
    const spelled = (n: number, named: boolean) => (named && names[n - min]) || String(n)
    const one = fc.tuple(value, fc.boolean()).map(([n, named]) => spelled(n, named))
    const range = fc
      .tuple(value, value, fc.boolean())
      .map(([a, b, named]) => `${spelled(Math.min(a, b), named)}-${Math.max(a, b)}`)
    const step = fc.oneof(
      fc.constant(''),
      fc.integer({ min: 1, max: max - min }).map(n => `/${n}`),
    )
    const many = fc.tuple(fc.oneof(fc.constant('*'), range), step).map(parts => parts.join(''))
    return fc.array(fc.oneof(one, many), { minLength: 1, maxLength: 4 }).map(items => items.join(','))
  }
  const expression = fc.tuple(...CRON_FIELDS.map(list)).map(fields => fields.join(' '))

  const lastOf = (month: number) => new Date(Date.UTC(2024, month, 0)).getUTCDate()
  const sorted = (values: Iterable<number>) => [...values].sort((a, b) => a - b)
  /** Without days that no month among them has: for a single month cron-parser leaves them out. */
  function inCalendar<T extends { days: Iterable<number>; months: Iterable<number> }>({
    days,
    months,
    ...rest
  }: T) {
    const real = sorted(days).filter(day => [...months].some(month => day <= lastOf(month)))
    return { ...rest, days: real, months: sorted(months) }
  }
  const asRead = (text: string) => {
    const { minutes, hours, days, months, weekdays } = parseCron(text)
    return inCalendar({ minutes, hours, days, months, weekdays: sorted(weekdays) })
  }
  const isRead = (text: string) => {
    try {
      checkCron(text)
      return true
    } catch (error) {
      expect(error).toMatchObject({ name: 'ScheduleError', code: 'invalid_cron' })
      return false
    }
  }

  it('are those that its items name, also where several name the same', () => {
    fc.assert(
      fc.property(expression, text => {
        const expected = inCalendar(referenceValues(text))
        fc.pre(expected.days.length > 0)
        expect(asRead(text)).toEqual(expected)
      }),
      { numRuns: 1000 },
    )
  })

  it('are also those where a character more is accepted, and every other text is refused', () => {
    const character = fc.constantFrom(...'0123456789*,-/ \tLWH#?@()~+JANmonl\n')
    fc.assert(
      fc.property(expression, character, fc.nat(), (text, more, nat) => {
        const at = nat % (text.length + 1)
        const other = text.slice(0, at) + more + text.slice(at)
        if (isRead(other)) expect(asRead(other)).toEqual(inCalendar(referenceValues(normalCron(other))))
      }),
      { numRuns: 2000 },
    )
    fc.assert(fc.property(fc.string({ unit: character }), text => void isRead(text)))
  })
})
