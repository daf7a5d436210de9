// The fields about model calls: how many were graded, whether their cost is known, and whether a budget is enforced.

import { count } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import {
  BUDGET_GAPS,
  budgetGap,
  type CallFacts,
  MODEL_CALLS,
  modelCallsOf,
} from '../../prices/rules/held-budget.ts'

export const pricesDate = z.string().meta({
  format: 'date',
  description: 'The day of the list of prices that models have today; a cost once recorded stays.',
})

export const callCounts = {
  model_call_count: count('Answers of models that were to be graded.'),
  unread_call_count: count(
    'Of those, answers that could not be read, so that nobody knows how good they are.',
  ),
  suspected_call_count: count(
    'Of those, answers that are ok and may be refusals: their steps have the reason suspected_refusal.',
  ),
}

/** Of runs and of agents. */
export const modelCalls = z
  .enum(MODEL_CALLS)
  .describe(
    'What is known of its model calls, without which no cost is known. recorded: this run, or the latest before it of the same version whose items returned, recorded some. not_recorded: its items returned, and none recorded one. not_reported: it answers plain JSON and has reported none yet. unknown: nothing has returned yet. none: it declares that it calls no model.',
  )
export const budgetGapField = z
  .enum(BUDGET_GAPS)
  .nullable()
  .describe(
    'Why a budget is not enforced: no calls are recorded or reported, as model_calls says, or calls without a price were allowed and made.',
  )

export const budgetFields = {
  model_calls: modelCalls,
  budget_enforced: z
    .boolean()
    .nullable()
    .describe(
      "Whether its budget bounds what it spends, as far as is known by now: its own, its items' or that of a day or month. Null if it has none.",
    ),
  budget_gap: budgetGapField,
}

interface BudgetedRun {
  calls: CallFacts
  allow_unpriced: boolean
  unpriced_items: number
}

/** A budget counts only what has a known cost. */
export function budgetOf({ calls, allow_unpriced, unpriced_items }: BudgetedRun) {
  const model_calls = modelCallsOf(calls)
  const unpriced = allow_unpriced && unpriced_items > 0 ? 'unpriced_calls' : null
  const gap = calls.is_bounded ? (budgetGap(model_calls) ?? unpriced) : null
  return { model_calls, budget_enforced: calls.is_bounded ? gap === null : null, budget_gap: gap }
}
