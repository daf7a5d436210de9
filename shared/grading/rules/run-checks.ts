// Checks a whole run for faults that show in no single item. Guarantee: pure; results are reported on the run and
// change no verdict, a bounded sample is read, and differences by chance are not reported. How good they are:
// ../grading.md.

import { LIMITS } from '../../kernel/limits.ts'
import { count, counted, dollars } from '../../prices/rules/amounts.ts'
import type { RunCheckName } from '../vocabulary.ts'
import { normalized } from './normalized.ts'

/** With fewer answers nothing is reported; the database trigger `run_ended` has this number too. */
export const LEAST_ANSWERS = 20
const SAME_SHARE = 1 / 3
const JUMP = 2
/** Two nightly runs of the same texts differ by three standard errors once in 400 times, by four once in 16,000. */
const STANDARD_ERRORS = 4

/** An ok item of the sample. */
export interface LookedAt {
  seq: number
  /** The beginning of its output. */
  head: string
  bytes: number
  cost_micro: number
  unpriced: boolean
}

/** The spread of a size's logarithms: text sizes and costs differ by factors, and a few are far from the others. */
export interface Spread {
  items: number
  mean: number
  deviation: number
}

/** Figures about the answers of a run; stored with the run, so that the next run can be compared with it. */
export interface AnswerFigures {
  looked_at: number
  /** The number of items with the most frequent answer, and one of these items. */
  same: number
  same_seq: number | null
  bytes: Spread
  cost_micro: Spread
}

/** What a check found. */
export interface FailedRunCheck {
  check: RunCheckName
  /** The share of items with the same answer, or the typical size: bytes of an answer, micro-dollars of an item. */
  value: number
  /** For a jump, the typical size in the run before, and that run's id. */
  before: number | null
  before_run_id: string | null
  /** One of the items with the same answer. */
  seq: number | null
  looked_at: number
}

/** What is stored about a checked run. */
export interface CheckedRun extends AnswerFigures {
  failed: FailedRunCheck[]
}

const GOLDEN = 0.618_033_988_749_895

/**
 * Which items of a run are sampled: one in each of `most` equal stretches, each at a different place. At even distances
 * all of them might be of one partition, since a run interleaves its partitions.
 */
export function sampledSeqs(total: number, most = LIMITS.run_check_items): number[] {
  const places = Math.min(total, most)
  const seqs = Array.from(
    { length: places },
    (_, n) => 1 + Math.floor(((n + ((n * GOLDEN) % 1)) * total) / places),
  )
  return [...new Set(seqs)]
}

function spreadOf(sizes: readonly number[]): Spread {
  const logs = sizes.filter(size => size > 0).map(Math.log)
  const items = logs.length
  const mean = items === 0 ? 0 : logs.reduce((sum, log) => sum + log, 0) / items
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0)
  return { items, mean, deviation: items < 2 ? 0 : Math.sqrt(squares / (items - 1)) }
}

export function figuresOf(items: readonly LookedAt[]): AnswerFigures {
  const groups = Map.groupBy(items, ({ head, bytes }) =>
    // The rest of a longer answer is not read: answers with the same head and length count as the same.
    head.length < LIMITS.run_check_head_characters ? normalized(head) : `${bytes} ${normalized(head)}`,
  )
  const most = [...groups.values()].reduce<readonly LookedAt[]>(
    (longest, list) => (list.length > longest.length ? list : longest),
    [],
  )
  return {
    looked_at: items.length,
    same: most.length,
    same_seq: most[0]?.seq ?? null,
    bytes: spreadOf(items.map(({ bytes }) => bytes)),
    cost_micro: spreadOf(items.flatMap(item => (item.unpriced ? [] : [item.cost_micro]))),
  }
}

function hasJumped(now: Spread, before: Spread): boolean {
  if (Math.min(now.items, before.items) < LEAST_ANSWERS) return false
  const error = Math.sqrt(now.deviation ** 2 / now.items + before.deviation ** 2 / before.items)
  const difference = Math.abs(now.mean - before.mean)
  return difference >= Math.log(JUMP) && difference >= STANDARD_ERRORS * error
}

const typical = ({ mean }: Spread) => Math.round(Math.exp(mean))

const JUMPS = { length_jump: 'bytes', cost_jump: 'cost_micro' } as const

/** What the declared checks find. `before` is the run that this one repeats. */
export function failedRunChecks(
  now: AnswerFigures,
  before: ({ run_id: string } & AnswerFigures) | undefined,
  checks: readonly RunCheckName[],
): FailedRunCheck[] {
  const { looked_at, same, same_seq } = now
  if (looked_at < LEAST_ANSWERS) return []
  const found = { looked_at, before: null, before_run_id: null, seq: null }
  return checks.flatMap((check): FailedRunCheck[] => {
    if (check === 'one_answer')
      return same / looked_at >= SAME_SHARE
        ? [{ ...found, check, value: same / looked_at, seq: same_seq }]
        : []
    const size = JUMPS[check]
    if (before === undefined || !hasJumped(now[size], before[size])) return []
    const [value, was] = [typical(now[size]), typical(before[size])]
    return [{ ...found, check, value, before: was, before_run_id: before.run_id }]
  })
}

const times = (ratio: number) => `${ratio >= 1 ? ratio.toFixed(1) : ratio.toFixed(2)} times`

/** @example 'answers are 3.1 times as long as in the run before: typically 812 bytes, before 262' */
export function sayFailedRunCheck({ check, value, before, looked_at }: FailedRunCheck): string {
  if (check === 'one_answer')
    return `one and the same answer for ${Math.round(100 * value)} % of ${counted(looked_at, 'item')} looked at`
  const factor = times(value / before!)
  return check === 'length_jump'
    ? `answers are ${factor} as long as in the run before: typically ${counted(value, 'byte')}, before ${count(before!)}`
    : `an item costs ${factor} what it did in the run before: typically ${dollars(value)}, before ${dollars(before!)}`
}
