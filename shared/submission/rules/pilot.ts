// Chooses the rows of a pilot and projects the rest of the batch from its results. Guarantee: pilot and rest together
// are the batch, each row once; both budgets together are the one that was given.

import { usdSum } from '../../prices/rules/usd-sum.ts'

/**
 * Chooses one row from each of `wanted` equal stretches, since files are often sorted; the first row is among them. The
 * place within a stretch varies, since files often repeat themselves: rows at equal distances may all be of one kind.
 */
export function spreadOver(rows: number, wanted: number): (row: number) => boolean {
  const start = (stretch: number) => Math.floor((stretch * rows) / wanted)
  let state = 0
  const chosen = Array.from({ length: wanted }, (_, at) => {
    const share = state / 2 ** 32
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0 // the generator of Numerical Recipes: always the same rows
    return start(at) + Math.floor(share * (start(at + 1) - start(at)))
  })
  const taken = new Set(chosen)
  return row => taken.has(row)
}

export const pilotName = (name: string | undefined): string => (name ? `${name}, pilot` : 'pilot')

/** The pilot, when its items have ended. */
export interface PilotRun {
  id: string
  total_items: number
  completed: number
  degraded_count: number
  failed: number
  budget_exceeded_count: number
  cost_usd: number
  unpriced_item_count: number
  started_at: string | null
  finished_at: string | null
}

export interface Outlook {
  run_id: string
  /** Rows left after the pilot. */
  rows: number
  cost_usd: number
  /** A model without a known price was called: the cost is a lower bound. */
  unpriced: boolean
  took_ms: number
  ok_share: number
  /** What is left of the budget; null without a budget. */
  budget_cents: number | null
  /** How many rows the rest of the budget pays for; null if for all. */
  affordable: number | null
}

/** What the rest will cost and take if it is like the pilot; `budget` is in cents. */
export function outlookOf(run: PilotRun, rows: number, budget: number | undefined, now: number): Outlook {
  // Items that the budget or a stop kept from running tell nothing of the others.
  const ran = Math.max(1, run.completed + run.failed - run.budget_exceeded_count)
  const each = run.cost_usd / ran
  const ended = run.finished_at === null ? now : Date.parse(run.finished_at)
  const took = run.started_at === null ? 0 : ended - Date.parse(run.started_at)
  // The pilot's cost is rounded up to a cent: both runs together must not exceed the budget.
  const left = budget === undefined ? null : Math.max(0, budget - Math.ceil(run.cost_usd * 100 - 1e-9))
  const affordable = left === null || each === 0 ? rows : Math.floor(left / 100 / each)
  return {
    run_id: run.id,
    rows,
    cost_usd: usdSum(each * rows),
    unpriced: run.unpriced_item_count > 0,
    took_ms: Math.round((took / ran) * rows),
    ok_share: (run.completed - run.degraded_count) / ran,
    budget_cents: left,
    affordable: affordable < rows ? affordable : null,
  }
}
