// What people say of verdicts: which rows of triage say something that can be wrong, and how good a reason is. Pure.

import { LIMITS } from '../../kernel/limits.ts'

/** The reason of a row that was opened by calling an ok item wrong. */
export const CALLED_WRONG = 'called_wrong'

const DAY_MS = 86_400_000

/** The first day (UTC) whose judgements count; today is the last of them. */
export const firstDayAt = (now_ms: number): string =>
  new Date(now_ms - (LIMITS.verdicts_days - 1) * DAY_MS).toISOString().slice(0, 10)

/** Of a reason of an agent: decisions that say whether it was right. */
export interface VerdictCounts {
  confirmed: number
  wrong: number
}

export const judgedOf = ({ confirmed, wrong }: VerdictCounts): number => confirmed + wrong

/** The share that was right, of at least one that was judged. */
export const precisionOf = (counts: VerdictCounts): number => counts.confirmed / judgedOf(counts)

/** Wrong so often, among enough that were judged, that it is said wherever the reason is shown. */
export const isOftenWrong = (counts: VerdictCounts): boolean =>
  judgedOf(counts) >= LIMITS.verdicts_judged_least &&
  counts.wrong > judgedOf(counts) * LIMITS.verdicts_wrong_share
