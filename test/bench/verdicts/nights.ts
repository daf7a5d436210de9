// Generates nights of our own for the checks over a run from a few numbers: of all sizes, similar to each other or not.

import { failedRunChecks, figuresOf, type LookedAt } from '../../../shared/grading/rules/run-checks.ts'
import { RUN_CHECKS, type RunCheckName } from '../../../shared/grading/vocabulary.ts'

/** Pseudo-random numbers, the same in every run. */
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
  /** The tokens and the cost of a typical answer. */
  bytes?: number
  cost_micro?: number
  /** The spread of sizes around the typical one: with 0.7, one in six is more than twice that. */
  width?: number
  /** The share of items that have the same answer. */
  same?: number
}

export function nightOf(
  { items, bytes = 400, cost_micro = 900, width = 0.7, same = 0 }: Night,
  seed: number,
) {
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

export const foundBetween = (
  night: Night,
  before: Night,
  seed: number,
  checks: readonly RunCheckName[] = RUN_CHECKS,
) => failedRunChecks(nightOf(night, 2 * seed), { run_id: 'before', ...nightOf(before, 2 * seed + 1) }, checks)

const SIZES = [20, 35, 60, 150, 1000]
const WIDTHS = [0.1, 0.4, 0.7, 1]
const SEEDS = Array.from({ length: 20 }, (_, n) => n + 1)
const each = (list: (items: number, width: number, seed: number) => boolean) =>
  SIZES.flatMap(items =>
    WIDTHS.flatMap(width => SEEDS.map(seed => list(items, width, seed * 1000 + items + width))),
  )

/** The results of each check on nights that went wrong, and on nights that did not. */
export function judgedNights(): Record<RunCheckName, Record<'found' | 'passed', boolean[]>> {
  const jump = (check: RunCheckName, size: 'bytes' | 'cost_micro') => {
    const says = (items: number, width: number, seed: number, factor: number) =>
      foundBetween({ items, width, [size]: 1000 * factor }, { items, width, [size]: 1000 }, seed).some(
        one => one.check === check,
      )
    return {
      found: [
        ...each((items, width, seed) => says(items, width, seed, 3)),
        ...each((items, width, seed) => says(items, width, seed, 0.25)),
      ],
      passed: [
        ...each((items, width, seed) => says(items, width, seed, 1)),
        ...each((items, width, seed) => says(items, width, seed, 1.4)),
      ],
    }
  }
  const one = (items: number, same: number, seed: number) =>
    foundBetween({ items, same }, { items }, seed, ['one_answer']).length > 0
  return {
    one_answer: {
      found: [0.34, 0.5, 1].flatMap(same => each((items, _, seed) => one(items, same, seed))),
      passed: [0, 0.1, 0.3].flatMap(same => each((items, _, seed) => one(items, same, seed))),
    },
    length_jump: jump('length_jump', 'bytes'),
    cost_jump: jump('cost_jump', 'cost_micro'),
  }
}
