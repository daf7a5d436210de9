// Says whether the cost of an agent's model calls is known, and so whether a budget of it is held. Guarantee: one rule for
// runs and agents, schedules and pages; a budget that nothing is counted against is never called held.

/**
 * What is known of an agent's model calls. `recorded`: some were. `not_recorded`: items returned, and none recorded one.
 * `not_reported`: it answers plain JSON and has not reported one yet. `unknown`: nothing of it has returned yet. `none`:
 * it declares that it calls no model.
 */
export const MODEL_CALLS = ['recorded', 'not_recorded', 'not_reported', 'unknown', 'none'] as const
export type ModelCalls = (typeof MODEL_CALLS)[number]

/** Why a budget is not held. */
export const BUDGET_GAPS = ['not_recorded', 'not_reported', 'unpriced_calls'] as const
export type BudgetGap = (typeof BUDGET_GAPS)[number]

/** What the newest run of a deployment with items that returned shows of its model calls; `null` if there is none. */
export type CallsSeen = 'recorded' | 'not_recorded' | null

/** What an agent or a run has shown and declared. */
export interface CallFacts {
  seen: CallsSeen
  /** Of its declaration. */
  declared: string | null
  /** Null without a deployment. */
  protocol: 'ndjson' | 'json' | null
  /** It has a budget of its own, or its items have one, or its agent or project by day or month. */
  is_bounded: boolean
}

export function modelCallsOf({ seen, declared, protocol }: Omit<CallFacts, 'is_bounded'>): ModelCalls {
  if (seen === 'recorded') return 'recorded'
  if (declared === 'none') return 'none'
  if (seen === 'not_recorded') return 'not_recorded'
  return protocol === 'json' ? 'not_reported' : 'unknown'
}

/** Why a budget of the agent is not held; null if it is, as far as anybody knows. */
export const budgetGap = (calls: ModelCalls): BudgetGap | null =>
  calls === 'not_recorded' || calls === 'not_reported' ? calls : null
