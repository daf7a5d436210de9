import { describe, expect, it } from 'vitest'
import { limitsText, lowerOf, nearestRate, rateOf, rateProblem } from './declared-limits.ts'

it.for([
  ['500/min', 500, 60_000],
  ['1/s', 1, 1000],
  ['200000/h', 200_000, 3_600_000],
  ['1000000000000/d', 1e12, 86_400_000],
] as const)('%s is a rate', ([text, amount, length_ms]) => {
  expect(rateProblem(text)).toBeUndefined()
  expect(rateOf(text)).toEqual({ amount, length_ms })
})

describe('a text that is no rate is refused with the nearest one', () => {
  it.for([
    ['500', '500/min'],
    ['500/m', '500/min'],
    ['500/minute', '500/min'],
    ['500 / min', '500/min'],
    ['500 per minute', '500/min'],
    ['500 requests per minute', '500/min'],
    ['200000 tokens a minute', '200000/min'],
    ['60 rpm', '60/min'],
    ['200k tpm', '200000/min'],
    ['200,000/min', '200000/min'],
    ['200_000/min', '200000/min'],
    ['2M/day', '2000000/d'],
    ['1.5/s', '2/s'],
    ['10/sec', '10/s'],
    ['10 rps', '10/s'],
    ['1000 rpd', '1000/d'],
    ['0/min', '1/min'],
    ['-5/s', '5/s'],
    ['9999999999999/min', '1000000000000/min'],
    ['1e3/s', '1000/s'],
    ['007/h', '7/h'],
    ['', '500/min'],
    ['fast', '500/min'],
  ] as const)('%s: %s', ([text, nearest]) => {
    expect(rateProblem(text)).toContain(`write ${nearest}`)
    expect(nearestRate(text)).toBe(nearest)
    expect(rateProblem(nearest)).toBeUndefined()
  })
})

it('of two limits the lower one counts, part by part, whatever the units', () => {
  expect(lowerOf({ requests: '60/min', tokens: '10/s' }, { requests: '2/s', tokens: '30000/h' })).toEqual({
    requests: '60/min',
    tokens: '30000/h',
  })
  expect(lowerOf({ in_flight: 5 }, { requests: '1/s', in_flight: 9 })).toEqual({
    requests: '1/s',
    in_flight: 5,
  })
  expect(lowerOf({}, {})).toEqual({})
})

it('limits are said in words', () => {
  expect(limitsText({ requests: '500/min', tokens: '200000/min', in_flight: 20 })).toBe(
    '500 requests a minute, 200,000 tokens a minute, 20 in flight',
  )
  expect(limitsText({ requests: '1/h' })).toBe('1 request an hour')
})
