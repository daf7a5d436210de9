// Computes from people's judgements how often verdicts with a reason are right. Pure.

import { LIMITS } from '../../kernel/limits.ts'

/** The reason of a row that somebody opened by calling an ok item wrong. */
export const CALLED_WRONG = 'called_wrong'

const DAY_MS = 86_400_000

/** The first day (UTC) whose judgements count; today is the last of them. */
export const firstDayAt = (now_ms: number): string =>
  new Date(now_ms - (LIMITS.verdicts_days - 1) * DAY_MS).toISOString().slice(0, 10)

/** How many decisions say that a reason of an agent was right, and how many that it was wrong. */
export interface VerdictCounts {
  confirmed: number
  wrong: number
}

export const judgedOf = ({ confirmed, wrong }: VerdictCounts): number => confirmed + wrong

/** The share of judged verdicts that was right; at least one must have been judged. */
export const precisionOf = (counts: VerdictCounts): number => counts.confirmed / judgedOf(counts)

/** Whether enough verdicts were judged, and enough of them wrong, to warn wherever the reason is shown. */
export const isOftenWrong = (counts: VerdictCounts): boolean =>
  judgedOf(counts) >= LIMITS.verdicts_judged_least &&
  counts.wrong > judgedOf(counts) * LIMITS.verdicts_wrong_share
