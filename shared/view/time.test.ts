import { expect, it } from 'vitest'
import { age, secondsOfTime, span, timeOfDay } from './time.ts'

it.for([
  [0, '0 ms'],
  [850, '850 ms'],
  [999.7, '1 s'],
  [1331, '1.33 s'],
  [12_345, '12.3 s'],
  [59_900, '59.9 s'],
  [59_000, '59 s'],
  [59_994, '1 min'],
  [60_000, '1 min'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [90_061_000, '1 d 1 h'],
] as const)('%d ms are shown as %s', ([ms, words]) => {
  expect(span(ms)).toBe(words)
})

it.for([
  [0, 'now'],
  [999, 'now'],
  [4999, '4 s ago'],
  [3_661_000, '1 h 1 min ago'],
  [90_061_000, '1 d 1 h ago'],
  [-61_000, 'in 1 min 1 s'],
] as const)('a moment %d ms ago is shown as %s', ([ms, words]) => {
  expect(age(0, ms)).toBe(words)
})

it('a length of time is read as people write it, and nothing else is', () => {
  expect(['90s', '30m', '30min', '24h', '7d', ' 1 h '].map(secondsOfTime)).toEqual([
    90, 1800, 1800, 86_400, 604_800, 3600,
  ])
  for (const text of ['', '24', 'h', '1.5h', '-1h', '1w', '1h30m'])
    expect(secondsOfTime(text)).toBeUndefined()
})

it.each([
  ['6:30', '06:30'],
  ['06:30', '06:30'],
  ['6.30', '06:30'],
  ['6:30 pm', '18:30'],
  ['6:30PM', '18:30'],
  ['6.30 p.m.', '18:30'],
  ['18h30', '18:30'],
  ['18 h 30', '18:30'],
  ['18h', '18:00'],
  ['6 am', '06:00'],
  ['12 am', '00:00'],
  ['12:15 pm', '12:15'],
  [' 0:00 ', '00:00'],
  ['23:59', '23:59'],
  ['24:00', undefined],
  ['6:60', undefined],
  ['13 pm', undefined],
  ['0:30 am', undefined],
  ['6', undefined],
  ['0630', undefined],
  ['6:3', undefined],
  ['6:', undefined],
  ['noon', undefined],
  ['', undefined],
])('%s as a time of day is %s', (text, time) => {
  expect(timeOfDay(text)).toBe(time)
})
