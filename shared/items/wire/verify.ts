// The proof that a run conserves its items: the counters of the run's row next to the sums over its items and steps.

import * as z from '../../kernel/documented-zod.ts'

const Count = z.int()
const Counts = z.object({
  ok: Count,
  degraded: Count,
  failed: Count,
  budget_exceeded: Count,
  cancelled: Count,
  paused: Count,
  queued: Count,
  running: Count,
})
const Totals = z.object({
  items: Count,
  input_tokens: Count,
  output_tokens: Count,
  unpriced_items: Count,
  model_calls: Count,
  unread_calls: Count,
  suspected_calls: Count,
  undecided: Count,
})

export const Verification = z
  .object({
    run_id: z.string().meta({ format: 'uuid' }),
    total_items: Count.describe('Items accepted at submission.'),
    counted: Counts.describe('Items by what became of them, counted now.'),
    counters: Counts.describe('The same as the run keeps it.'),
    totals: z.object({ counted: Totals, counters: Totals }),
    cost_micro: z
      .object({ counter: Count, recount_items: Count, recount_steps: Count })
      .describe('Millionths of a dollar: as the run keeps it, summed over items, and over steps.'),
    budgets: z
      .array(z.object({ name: z.string(), counter: Count, recount: Count }))
      .describe(
        'Those by day and month that bound it: millionths of a dollar, as kept and summed over their days.',
      ),
    double_verdicts: Count.describe(
      'Lines that became two items, and ended items that would be offered again.',
    ),
    balanced: z.boolean().describe('True when there is no difference.'),
    differences: z.array(z.string()).describe('Each figure that does not agree, with both values.'),
  })
  .openapi('Verification')

type Figures = z.input<typeof Counts>
type TotalFigures = z.input<typeof Totals>

/** One side of the comparison. */
export interface Tally {
  counts: Figures
  totals: TotalFigures
}

export interface Counters extends Tally {
  cost_micro: number
}

export interface Recount extends Tally {
  cost_micro_items: number
  cost_micro_steps: number
  double_verdicts: number
}

/** A budget that bounds the run: its counter, and the sum over the days of its period. */
export interface BudgetTally {
  name: string
  counter: number
  recount: number
}

export function verificationOf(
  run_id: string,
  counters: Counters,
  recount: Recount,
  budgets: readonly BudgetTally[],
): z.input<typeof Verification> {
  const differences = [
    ...differ(counters.counts, recount.counts),
    ...differ(counters.totals, recount.totals),
    ...differ({ cost_micro: counters.cost_micro }, { cost_micro: recount.cost_micro_items }),
    ...differ(
      { 'cost_micro of steps': counters.cost_micro },
      { 'cost_micro of steps': recount.cost_micro_steps },
    ),
    ...budgets.flatMap(({ name, counter, recount }) => differ({ [name]: counter }, { [name]: recount })),
    ...(recount.double_verdicts === 0 ? [] : [`${recount.double_verdicts} double verdicts`]),
  ]
  return {
    run_id,
    total_items: counters.totals.items,
    counted: recount.counts,
    counters: counters.counts,
    totals: { counted: recount.totals, counters: counters.totals },
    cost_micro: {
      counter: counters.cost_micro,
      recount_items: recount.cost_micro_items,
      recount_steps: recount.cost_micro_steps,
    },
    budgets: [...budgets],
    double_verdicts: recount.double_verdicts,
    balanced: differences.length === 0,
    differences,
  }
}

function differ<T extends object>(counters: T, recount: T): string[] {
  return (Object.entries(counters) as [keyof T & string, number][])
    .filter(([name, value]) => value !== recount[name])
    .map(([name, value]) => `${name}: the run says ${value}, a recount ${recount[name]}`)
}
