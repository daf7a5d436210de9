// Says in words what is known of an agent's model calls, what that makes of a budget, and by which code items ended.

import { LIMITS } from '../kernel/limits.ts'
import { count, counted, dollars } from '../prices/rules/amounts.ts'
import type { BudgetGap, ModelCalls } from '../prices/rules/held-budget.ts'

const UNKNOWN: Partial<Record<ModelCalls, string>> = {
  not_recorded: 'no model call was recorded, so the cost is not known',
  not_reported: 'it reports no model call (plain JSON), so the cost is not known',
}

/** Undefined where calls are recorded, or there are none, or nothing is known yet. */
export const sayCalls = (calls: ModelCalls): string | undefined => UNKNOWN[calls]

const GAPS: Record<BudgetGap, string> = {
  not_recorded: 'its items recorded no model call',
  not_reported: 'the agent answers plain JSON and has reported no model call',
  unpriced_calls: 'calls without a price were allowed, and it does not count them',
}

/** @example 'not enforced: its items recorded no model call' */
export const sayGap = (gap: BudgetGap): string => `not enforced: ${GAPS[gap]}`

/** Why a budget is refused before anything is sent. */
export const sayRefusedBudget = (slug: string, budget_micro: number, gap: BudgetGap): string =>
  `A budget of ${dollars(budget_micro)} would not be enforced: ${slug} ${gap === 'not_reported' ? 'answers plain JSON and has reported no model call' : 'has recorded no model call so far'}, so nothing would count against it.`

export const REPORT_CALLS =
  "Have the agent report its model calls as steps (PROTOCOL.md), which its first run without a budget shows, or declare model_calls: 'none' if it calls no model."

/**
 * Of the versions of the code that a run's items ended by; `all` is how many have ended.
 *
 * @example '1,200 items by a3f (12 failed) · 4,800 by b71 · 3 without a version'
 */
export function sayVersions(versions: readonly CodeVersion[], all: number): string {
  const parts = versions.map(({ version, items, degraded, failed }, at) => {
    const bad = [
      ...(degraded > 0 ? [`${count(degraded)} degraded`] : []),
      ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ]
    const what = at === 0 ? counted(items, 'item') : count(items)
    return `${what} by ${version ?? 'other versions'}${bad.length === 0 ? '' : ` (${bad.join(', ')})`}`
  })
  const without = all - versions.reduce((sum, { items }) => sum + items, 0)
  return [...parts, ...(without > 0 ? [`${count(without)} without a version`] : [])].join(' · ')
}

/** For the versions that share one count. */
export const OTHER_VERSIONS = `No more than ${LIMITS.code_versions} versions of a deployment are named; the others are counted together.`

interface CodeVersion {
  version: string | null
  items: number
  degraded: number
  failed: number
}
