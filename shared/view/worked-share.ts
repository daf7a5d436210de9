// Says how well a run worked: the share of the items that ran which are ok. Guarantee: an item that never ran counts on
// neither side, and a run is bad only where the alert about failed items would say so, or nothing of it is ok.

import { RULES } from '../alerts/rules/alerts.ts'
import type { Outcome } from '../items/vocabulary.ts'
import { percent } from '../prices/rules/amounts.ts'

export interface RanCounts {
  completed: number
  degraded_count: number
  /** Includes the items over budget. */
  failed: number
  budget_exceeded_count: number
}

/** Items that ran to an end of their own: neither cancelled, nor held, nor ended by a budget. */
export const ranItems = (run: RanCounts): number => run.completed + run.failed - run.budget_exceeded_count

/** A figure for each item that ran; null where none did. */
export const perRanItem = (value: number, run: RanCounts): number | null =>
  ranItems(run) === 0 ? null : value / ranItems(run)

/** @example '86 % ok' */
export const sayWorkedShare = (run: RanCounts): string | null =>
  ranItems(run) === 0 ? null : `${percent(run.completed - run.degraded_count, ranItems(run))} ok`

/** The share of items not ok above which the alert fires in projects that set none. */
export const USUAL_BOUND = RULES.failure_share.bounds.share!.default

const STOPS_OF_FAILURE = new Set<string | null>(['pilot_failed', 'consecutive_failures'])

type Judged = RanCounts & { total_items: number; finished_at: string | null; stop_reason: string | null }

/**
 * How its share is to be taken, as the alert `failure_share` does: of an open run against all of its items, so that the
 * first failure of many is not yet bad.
 */
export function workedTone(run: Judged, bound: number = USUAL_BOUND): Outcome | null {
  const ran = ranItems(run)
  const ok = run.completed - run.degraded_count
  if (ran === 0) return null
  if (ok === ran) return 'ok'
  const isOver = run.finished_at !== null
  const isBad = (isOver && ok === 0) || STOPS_OF_FAILURE.has(run.stop_reason)
  return isBad || ran - ok > bound * (isOver ? ran : run.total_items) ? 'failed' : 'degraded'
}
