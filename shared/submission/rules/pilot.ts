// A few rows of a batch before all of it: which ones, and what they say about the rest. Guarantee: pilot and rest
// together are the batch, each row once; both budgets together are the one that was given.

/**
 * One row of each of `wanted` equal stretches, since files are often sorted; the first row among them. Where in its
 * stretch differs, since files often repeat themselves: rows at equal distances may all be of one kind.
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

/** What a pilot is called. */
export const pilotName = (name: string | undefined): string => (name ? `${name}, pilot` : 'pilot')

/** The pilot, when its items have ended. */
export interface PilotRun {
  id: string
  total_items: number
  completed: number
  degraded_count: number
  cost_usd: number
  unpriced_item_count: number
  started_at: string | null
  finished_at: string | null
}

export interface Outlook {
  run_id: string
  /** Rows that are left. */
  rows: number
  cost_usd: number
  /** A model without a known price was called: the cost is a lower bound. */
  unpriced: boolean
  took_ms: number
  ok_share: number
  /** What is left of the budget; null where there is none. */
  budget_cents: number | null
  /** Rows for which that is enough; null where it is for all. */
  affordable: number | null
}

/** What the rest will come to if it is like the pilot. */
export function outlookOf(run: PilotRun, rows: number, budget: number | undefined, now: number): Outlook {
  const each = run.cost_usd / run.total_items
  const ended = run.finished_at === null ? now : Date.parse(run.finished_at)
  const took = run.started_at === null ? 0 : ended - Date.parse(run.started_at)
  // What is not a whole cent is gone too: both runs together must not pass the budget.
  const left = budget === undefined ? null : Math.max(0, budget - Math.ceil(run.cost_usd * 100 - 1e-9))
  const affordable = left === null || each === 0 ? rows : Math.floor(left / 100 / each)
  return {
    run_id: run.id,
    rows,
    cost_usd: each * rows,
    unpriced: run.unpriced_item_count > 0,
    took_ms: Math.round((took / run.total_items) * rows),
    ok_share: (run.completed - run.degraded_count) / run.total_items,
    budget_cents: left,
    affordable: affordable < rows ? affordable : null,
  }
}
