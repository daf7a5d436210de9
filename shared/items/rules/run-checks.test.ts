import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../domain/limits.ts'
import { RUN_CHECKS, type RunCheckName } from '../../domain/vocabulary.ts'
import {
  failedRunChecks,
  figuresOf,
  LEAST_ANSWERS,
  type LookedAt,
  sampledSeqs,
  sayFailedRunCheck,
} from './run-checks.ts'

/** The same numbers in every run of the tests. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Night {
  items: number
  /** What a typical answer has and costs. */
  bytes?: number
  cost_micro?: number
  /** How far sizes lie from what is typical: of 0.7, one in six is more than twice that. */
  width?: number
  /** Share of items with one answer. */
  same?: number
}

function nightOf({ items, bytes = 400, cost_micro = 900, width = 0.7, same = 0 }: Night, seed: number) {
  const roll = dice(seed)
  const size = () => Math.exp(width * Math.sqrt(-2 * Math.log(1 - roll())) * Math.cos(2 * Math.PI * roll()))
  return figuresOf(
    Array.from({ length: items }, (_, n): LookedAt => {
      const isSame = n < same * items
      return {
        seq: n + 1,
        head: isSame ? (n % 2 === 0 ? '"It is  on its way."' : '"it is on\\nits way."') : `"answer ${n}"`,
        bytes: Math.max(1, Math.round(bytes * size())),
        cost_micro: Math.max(1, Math.round(cost_micro * size())),
        unpriced: false,
      }
    }),
  )
}

const found = (night: Night, before: Night, seed: number, checks: readonly RunCheckName[] = RUN_CHECKS) =>
  failedRunChecks(nightOf(night, 2 * seed), { run_id: 'before', ...nightOf(before, 2 * seed + 1) }, checks)

const SIZES = [20, 35, 60, 150, 1000]
const WIDTHS = [0.1, 0.4, 0.7, 1]
const SEEDS = Array.from({ length: 20 }, (_, n) => n + 1)
const each = (list: (items: number, width: number, seed: number) => boolean) =>
  SIZES.flatMap(items =>
    WIDTHS.flatMap(width => SEEDS.map(seed => list(items, width, seed * 1000 + items + width))),
  )

const NIGHTS: Record<RunCheckName, { bad: boolean[]; good: boolean[] }> = (() => {
  const jump = (check: RunCheckName, size: 'bytes' | 'cost_micro') => {
    const says = (items: number, width: number, seed: number, factor: number) =>
      found({ items, width, [size]: 1000 * factor }, { items, width, [size]: 1000 }, seed).some(
        one => one.check === check,
      )
    return {
      bad: [
        ...each((items, width, seed) => says(items, width, seed, 3)),
        ...each((items, width, seed) => says(items, width, seed, 0.25)),
      ],
      good: [
        ...each((items, width, seed) => says(items, width, seed, 1)),
        ...each((items, width, seed) => says(items, width, seed, 1.4)),
      ],
    }
  }
  const one = (items: number, same: number, seed: number) =>
    found({ items, same }, { items }, seed, ['one_answer']).length > 0
  return {
    one_answer: {
      bad: [0.34, 0.5, 1].flatMap(same => each((items, _, seed) => one(items, same, seed))),
      good: [0, 0.1, 0.3].flatMap(same => each((items, _, seed) => one(items, same, seed))),
    },
    length_jump: jump('length_jump', 'bytes'),
    cost_jump: jump('cost_jump', 'cost_micro'),
  }
})()

describe.each(RUN_CHECKS)('%s', name => {
  const { bad, good } = NIGHTS[name]
  const right = bad.filter(Boolean).length
  const wrong = good.filter(Boolean).length

  it('is measured on some hundred nights of either kind, of all sizes and widths', () => {
    expect(Math.min(bad.length, good.length)).toBeGreaterThanOrEqual(800)
  })

  it('is right in 98 of 100 that it finds, and finds nine in ten', () => {
    expect(right / (right + wrong)).toBeGreaterThanOrEqual(0.98)
    expect(right / bad.length).toBeGreaterThanOrEqual(0.9)
  })
})

it('nothing is told of fewer than twenty answers, nor of a night that has none before it', () => {
  const few = nightOf({ items: LEAST_ANSWERS - 1, same: 1 }, 1)
  expect(failedRunChecks(few, undefined, RUN_CHECKS)).toEqual([])
  const first = nightOf({ items: 500, bytes: 9000 }, 1)
  expect(failedRunChecks(first, undefined, RUN_CHECKS)).toEqual([])
})

it('only what was declared is looked for', () => {
  expect(found({ items: 100, bytes: 9000, same: 1 }, { items: 100 }, 7, [])).toEqual([])
  expect(found({ items: 100, bytes: 9000, same: 1 }, { items: 100 }, 7).map(({ check }) => check)).toEqual([
    'one_answer',
    'length_jump',
  ])
})

it('what a call without a price cost is not held against anything', () => {
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
    'answers are 3.1 times as long as in the run before: typically 812 bytes, 262 before',
  ],
  [
    'length_jump',
    25,
    100,
    'answers are 0.25 times as long as in the run before: typically 25 bytes, 100 before',
  ],
  [
    'cost_jump',
    4200,
    1800,
    'an item costs 2.3 times what it did in the run before: typically $0.0042, $0.0018 before',
  ],
] as const)('%s is told in words', (check, value, before, words) => {
  const more = { before_run_id: null, seq: null, looked_at: 1000 }
  expect(sayFailedRunCheck({ check, value, before, ...more })).toBe(words)
})

describe('the items that stand for a run', () => {
  it('are all of a short one', () => {
    expect(sampledSeqs(7)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  it.each([1001, 2500, 10_000, 10_000_000])('are a bounded number of %i, of every partition alike', total => {
    const seqs = sampledSeqs(total)
    expect(seqs.length).toBeGreaterThan(LIMITS.run_check_items * 0.6)
    expect(seqs.length).toBeLessThanOrEqual(LIMITS.run_check_items)
    expect(seqs.every(seq => Number.isInteger(seq) && seq >= 1 && seq <= total)).toBe(true)
    // Interleaved partitions: an item's is its place modulo their number.
    for (const partitions of [2, 3, 5, 10]) {
      const counts = Array.from(
        { length: partitions },
        (_, p) => seqs.filter(s => s % partitions === p).length,
      )
      expect(Math.min(...counts)).toBeGreaterThan((seqs.length / partitions) * 0.8)
    }
  })
})
