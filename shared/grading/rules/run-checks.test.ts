import { describe, expect, it } from 'vitest'
import { foundBetween, judgedNights, nightOf } from '../../../test/bench/verdicts/nights.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { RUN_CHECKS } from '../vocabulary.ts'
import { failedRunChecks, figuresOf, LEAST_ANSWERS, sampledSeqs, sayFailedRunCheck } from './run-checks.ts'

const NIGHTS = judgedNights()

describe.each(RUN_CHECKS)('%s', name => {
  const { found, passed } = NIGHTS[name]
  const right = found.filter(Boolean).length
  const wrong = passed.filter(Boolean).length

  it('is measured on at least 800 nights that it should find and 800 that it should pass', () => {
    expect(Math.min(found.length, passed.length)).toBeGreaterThanOrEqual(800)
  })

  it('is right in 98 of 100 nights that it finds, and finds nine in ten', () => {
    expect(right / (right + wrong)).toBeGreaterThanOrEqual(0.98)
    expect(right / found.length).toBeGreaterThanOrEqual(0.9)
  })
})

it('nothing is found with fewer than 20 answers, or with no run before', () => {
  const few = nightOf({ items: LEAST_ANSWERS - 1, same: 1 }, 1)
  expect(failedRunChecks(few, undefined, RUN_CHECKS)).toEqual([])
  const first = nightOf({ items: 500, bytes: 9000 }, 1)
  expect(failedRunChecks(first, undefined, RUN_CHECKS)).toEqual([])
})

it('only declared run checks are run', () => {
  expect(foundBetween({ items: 100, bytes: 9000, same: 1 }, { items: 100 }, 7, [])).toEqual([])
  expect(
    foundBetween({ items: 100, bytes: 9000, same: 1 }, { items: 100 }, 7).map(({ check }) => check),
  ).toEqual(['one_answer', 'length_jump'])
})

it('calls that are unpriced or cost nothing are left out of the comparison of costs', () => {
  const free = figuresOf([
    { seq: 1, head: '1', bytes: 1, cost_micro: 9, unpriced: true },
    { seq: 2, head: '2', bytes: 1, cost_micro: 0, unpriced: false },
  ])
  expect(free.cost_micro.items).toBe(0)
})

it.each([
  ['one_answer', 0.412, null, 'one and the same answer for 41 % of 1,000 items looked at'],
  [
    'length_jump',
    812,
    262,
    'answers are 3.1 times as long as in the run before: typically 812 bytes, before 262',
  ],
  [
    'length_jump',
    25,
    100,
    'answers are 0.25 times as long as in the run before: typically 25 bytes, before 100',
  ],
  [
    'cost_jump',
    4200,
    1800,
    'an item costs 2.3 times what it did in the run before: typically $0.0042, before $0.0018',
  ],
] as const)('%s is described in words', (check, value, before, words) => {
  const more = { before_run_id: null, seq: null, looked_at: 1000 }
  expect(sayFailedRunCheck({ check, value, before, ...more })).toBe(words)
})

describe('the sample of a run’s items', () => {
  it('contains all items of a short run', () => {
    expect(sampledSeqs(7)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  it.each([1001, 2500, 10_000, 10_000_000])('of %i items is bounded, and even over partitions', total => {
    const seqs = sampledSeqs(total)
    expect(seqs.length).toBeGreaterThan(LIMITS.run_check_items * 0.6)
    expect(seqs.length).toBeLessThanOrEqual(LIMITS.run_check_items)
    expect(seqs.every(seq => Number.isInteger(seq) && seq >= 1 && seq <= total)).toBe(true)
    // Interleaved partitions: an item's partition is its place modulo their number.
    for (const partitions of [2, 3, 5, 10]) {
      const counts = Array.from(
        { length: partitions },
        (_, p) => seqs.filter(s => s % partitions === p).length,
      )
      expect(Math.min(...counts)).toBeGreaterThan((seqs.length / partitions) * 0.8)
    }
  })
})
