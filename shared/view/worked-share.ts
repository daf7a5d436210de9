// Says how well a run worked: the share of the items that ran which are ok. Guarantee: an item that never ran counts on
// neither side, and a run is bad only where the alert about failed items would say so, or nothing of it is ok.

import { RULES } from '../alerts/rules/alerts.ts'
import * as ofTally from '../items/rules/run-words.ts'
import type { Outcome } from '../items/vocabulary.ts'
import type { Schemas } from '../sdk/client.ts'

export interface RanCounts {
  completed: number
  degraded_count: number
  /** Includes the items over budget. */
  failed: number
  budget_exceeded_count: number
}

const tallyOf = ({ completed, degraded_count, failed, budget_exceeded_count }: RanCounts) => ({
  ok: completed - degraded_count,
  degraded: degraded_count,
  failed: failed - budget_exceeded_count,
})

/** Items that ran to an end of their own: neither cancelled, nor held, nor ended by a budget. */
export const ranItems = (run: RanCounts): number => ofTally.ranItems(tallyOf(run))

/** A figure for each item that ran; null where none did. */
export const perRanItem = (value: number, run: RanCounts): number | null =>
  ranItems(run) === 0 ? null : value / ranItems(run)

/** @example '86 % ok' */
export const sayWorkedShare = (run: RanCounts): string | null => {
  const share = ofTally.okShare(tallyOf(run))
  return share === null ? null : `${share} ok`
}

/** The alert about failed items as it is set: it fires for more than this share, of at least so many items. */
export interface FailureRule {
  enabled: boolean
  share: number
  least_items: number
}

const { enabled, bounds } = RULES.failure_share

/** As it is in projects that set nothing. */
export const USUAL_RULE: FailureRule = {
  enabled,
  share: bounds.share!.default,
  least_items: bounds.least_items!.default,
}

/** The rule that holds for an agent: its own, else that of its project. */
export type FailureRuleOf = (agent_id?: string | null) => FailureRule

type Setting = Pick<Schemas['AlertRule'], 'rule' | 'agent_id' | 'enabled' | 'bounds'>

/** By a project's alert rules, as the server lists them. */
export function failureRuleOf(settings: readonly Setting[]): FailureRuleOf {
  const rules = new Map(
    settings
      .filter(({ rule }) => rule === 'failure_share')
      .map(one => [one.agent_id, { ...USUAL_RULE, ...one.bounds, enabled: one.enabled }]),
  )
  return agent_id => rules.get(agent_id ?? null) ?? rules.get(null) ?? USUAL_RULE
}

const STOPS_OF_FAILURE = new Set<string | null>(['pilot_failed', 'consecutive_failures'])

type Judged = RanCounts & { total_items: number; finished_at: string | null; stop_reason: string | null }

/**
 * How its share is to be taken, as the alert `failure_share` does: of an open run against all of its items, so that the
 * first failure of many is not yet bad.
 */
export function workedTone(run: Judged, rule: FailureRule = USUAL_RULE): Outcome | null {
  const ran = ranItems(run)
  const ok = run.completed - run.degraded_count
  if (ran === 0) return null
  if (ok === ran) return 'ok'
  const isOver = run.finished_at !== null
  return (isOver && ok === 0) || fires(rule, run) ? 'failed' : 'degraded'
}

function fires({ enabled, share, least_items }: FailureRule, run: Judged): boolean {
  const ran = ranItems(run)
  const notOk = ran - (run.completed - run.degraded_count)
  const isTooMany = ran >= least_items && notOk > share * (run.finished_at === null ? run.total_items : ran)
  return enabled && (isTooMany || STOPS_OF_FAILURE.has(run.stop_reason))
}
