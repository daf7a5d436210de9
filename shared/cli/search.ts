// The command that searches the steps of all items.

import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { operations } from '../sdk/client.gen.ts'
import { reasonWords } from '../view/reason.ts'
import { answered, type Step } from './api.ts'
import type { Given } from './arguments.ts'
import { type ExitCode, usageFailure } from './failure.ts'
import { ago, brief, spend } from './format.ts'
import { printList, sinceTimeOf } from './listing.ts'
import type { Screen } from './output.ts'
import { bodyPageOf } from './pages.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'
import { outcomeStyle } from './verdict.ts'

type Query = NonNullable<operations['listSteps']['parameters']['query']>

/** The API parameter of each option. */
const FILTERS = {
  in: 'in',
  'item-id': 'item_id',
  prefix: 'item_id_prefix',
  run: 'run_id',
  outcome: 'outcome_status',
  reason: 'outcome_reason',
  'min-cost': 'min_cost_usd',
  from: 'from',
  to: 'to',
  sort: 'sort',
} as const

export function search(session: Session, given: Given): Promise<ExitCode> {
  const { api, now } = session
  const q = given.optionalArg(0)
  const from = sinceTimeOf(given.text('since'), now())
  const filters = Object.entries(FILTERS).map(([option, parameter]) => [parameter, given.text(option)])
  const query: Query = { ...defined({ q, from }), ...defined(Object.fromEntries(filters)) }
  if (given.flag('follow') && query.sort === 'cost')
    throw usageFailure('--follow prints what comes, and --sort cost is another order')
  return printList<Step>(session, given, {
    event: 'step',
    empty: 'no steps found',
    page: LIMITS.steps_page.max,
    read: page =>
      bodyPageOf(api.GET('/v1/steps', { params: { query: { ...query, ...page } } }), found => found.steps),
    total: async () => {
      const counting = { ...query, limit: 1, count: 'true' } as const
      const found = await answered(api.GET('/v1/steps', { params: { query: counting } }))
      return { count: found.total ?? 0, more: found.more_than_total ?? false }
    },
    keyOf: step => `${step.record_id} ${step.attempt} ${step.step_no}`,
    cameAt: step => step.started_at,
    text: (rows, screen) => stepsTable(rows, now(), screen),
  })
}

function stepsTable(steps: readonly Step[], now: number, screen: Screen): string {
  const columns: Column<Step>[] = [
    { title: 'WHEN', value: step => ago(step.started_at, now), optional: 2 },
    { title: 'ITEM', value: step => step.item_id, least: 8 },
    { title: 'RECORD', value: step => step.record_id, optional: 4 },
    { title: 'STEP', value: step => step.name, least: 8 },
    {
      title: 'OUTCOME',
      value: step => step.outcome_status,
      style: step => outcomeStyle(step.outcome_status),
    },
    { title: 'COST', value: step => spend(step.cost_usd, step.unpriced), align: 'right', optional: 3 },
    { title: 'FOUND', value: textOf, least: 32 },
  ]
  return table(columns, steps, screen)
}

/** The snippet that matched, else the words that gave the step its reason, else its error, reason or output. */
const textOf = (step: Step) =>
  step.snippet?.text ??
  reasonWords(step) ??
  step.error_message ??
  step.outcome_reason ??
  brief(step.output ?? '', 80)
