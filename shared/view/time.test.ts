import { expect, it } from 'vitest'
import { age, secondsOfTime, span } from './time.ts'

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
