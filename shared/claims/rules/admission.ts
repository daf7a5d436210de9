// Decides how many items of a run may be dispatched now and, if none, what they wait for. It is a pure function of the
// given facts, used by the consumer and for the question "why is this not running?". A claim uses only whether it is 0, why,
// and whether caps alone decide; the number it takes is computed under the locks of run and project, by the same rule in SQL
// (shared/claims/queries/admission.ts). A rule that changes here must change there, and in the functions that take items.

import type { StopReason } from '../../items/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { PeriodBudget } from '../../prices/rules/budgets.ts'

export interface AdmissionFacts {
  stop_reason: StopReason | null
  is_suspended: boolean
  /** The whole installation is held, since it was restored. */
  is_held: boolean
  has_deployment: boolean
  /** The run's own cap and the one its agent declares; null is no cap. */
  run_concurrency: number | null
  agent_concurrency: number | null
  run_running: number
  project_concurrency: number
  project_running: number
  budget_micro: number | null
  cost_micro: number
  /** Items of the run that have ended; with cost_micro they give the average cost of one. */
  ended: number
  item_budget_micro: number | null
  /** How many items of the run's pilot may still begin; null is no pilot. */
  pilot_left: number | null
  credit_micro: number | null
  spent_micro: number
  /** Budgets by day and month, of project and agent; `running` counts the items in flight that spend from one. */
  periods: readonly (PeriodBudget & { running: number; ends_at: Date; timezone: string })[]
  /** The model whose price a run under a budget waits for; null if it waits for none, empty if no price would help. */
  waits_for_price: string | null
}

export type Wait =
  | 'stopped'
  | 'held'
  | 'suspended'
  | 'no_deployment'
  | 'price'
  | 'budget'
  | 'credit'
  | 'period_budget'
  | 'pilot'
  | 'run_cap'
  | 'project_cap'

export interface Admission {
  room: number
  /** Set exactly when room is 0. */
  waiting_for: Wait | null
}

/**
 * Says how many items may start now.
 *
 * Money is reserved before dispatch: every item in flight counts with the expected cost of one, so a fence is overshot
 * by at most the items in flight when it was reached.
 *
 * @example admit({...facts, run_concurrency: 10, run_running: 8}) // { room: 2, waiting_for: null }
 */
export function admit(facts: AdmissionFacts): Admission {
  const caps: [Wait, number][] = [
    ['stopped', facts.stop_reason ? 0 : Number.POSITIVE_INFINITY],
    ['held', facts.is_held ? 0 : Number.POSITIVE_INFINITY],
    ['suspended', facts.is_suspended ? 0 : Number.POSITIVE_INFINITY],
    ['no_deployment', facts.has_deployment ? Number.POSITIVE_INFINITY : 0],
    ['price', facts.waits_for_price !== null ? 0 : Number.POSITIVE_INFINITY],
    ['pilot', facts.pilot_left === null ? Number.POSITIVE_INFINITY : Math.max(0, facts.pilot_left)],
    ['budget', affordable(facts.budget_micro, facts.cost_micro, facts.run_running, facts)],
    ['credit', affordable(facts.credit_micro, facts.spent_micro, facts.project_running, facts)],
    ...facts.periods.map(({ limit_micro, spent_micro, running }): [Wait, number] => [
      'period_budget',
      affordable(limit_micro, spent_micro, running, facts),
    ]),
    ['run_cap', roomUnder(facts.run_concurrency, facts.run_running)],
    ['run_cap', roomUnder(facts.agent_concurrency, facts.run_running)],
    ['project_cap', roomUnder(facts.project_concurrency, facts.project_running)],
  ]
  let tightest = caps[0]!
  for (const cap of caps) if (cap[1] < tightest[1]) tightest = cap
  const room = Math.min(tightest[1], LIMITS.claim_items)
  return { room, waiting_for: room === 0 ? tightest[0] : null }
}

/** Places that caps alone leave, without money and pilots. */
export const roomUnderCaps = (facts: AdmissionFacts): number =>
  Math.min(
    roomUnder(facts.run_concurrency, facts.run_running),
    roomUnder(facts.agent_concurrency, facts.run_running),
    roomUnder(facts.project_concurrency, facts.project_running),
  )

/** True when the money is gone, as opposed to reserved by items in flight. */
export const isSpent = (bound_micro: number | null, spent_micro: number) =>
  bound_micro !== null && spent_micro >= bound_micro

/** Expected cost of one item: its budget if there is one, else the run's average so far; null if unknown. */
export function expectedItemMicro(facts: Pick<AdmissionFacts, 'item_budget_micro' | 'cost_micro' | 'ended'>) {
  if (facts.item_budget_micro !== null) return facts.item_budget_micro
  return facts.ended > 0 ? Math.ceil(facts.cost_micro / facts.ended) : null
}

function roomUnder(cap: number | null, running: number): number {
  return cap === null ? Number.POSITIVE_INFINITY : Math.max(0, cap - running)
}

function affordable(bound: number | null, spent: number, running: number, facts: AdmissionFacts): number {
  if (bound === null) return Number.POSITIVE_INFINITY
  if (spent >= bound) return 0
  const expected = expectedItemMicro(facts)
  // The cost is not known yet: a few items go first and show it.
  if (expected === null) return Math.max(0, LIMITS.budget_probe_items - running)
  if (expected === 0) return Number.POSITIVE_INFINITY
  const room = Math.floor((bound - spent) / expected) - running
  // Some money is left, but less than one item costs: one item at a time, until it is gone.
  return Math.max(room, running === 0 ? 1 : 0)
}
