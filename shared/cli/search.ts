// Searches the steps of all items.

import { LIMITS } from '../domain/limits.ts'
import type { operations } from '../sdk/client.gen.ts'
import { answered, type Step } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode } from './failure.ts'
import { ago, brief, plural, spend } from './format.ts'
import type { Screen } from './output.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'
import { outcomeStyle } from './verdict.ts'

const DEFAULT_ROWS = 50

type Query = NonNullable<operations['listSteps']['parameters']['query']>

/** Options of the command by the parameter they stand for. */
const FILTERS = {
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

export async function search({ api, output, now }: Session, given: Given): Promise<ExitCode> {
  const limit = given.whole('limit') ?? DEFAULT_ROWS
  const q = given.optionalArg(0)
  const filters = Object.entries(FILTERS).flatMap(([option, parameter]) => {
    const value = given.text(option)
    return value === undefined ? [] : [[parameter, value]]
  })
  const query: Query = { ...(q !== undefined && { q }), ...Object.fromEntries(filters) }
  const steps: Step[] = []
  let cursor: string | null | undefined
  do {
    const page = { limit: Math.min(limit - steps.length, LIMITS.steps_page.max), ...(cursor && { cursor }) }
    const found = await answered(api.GET('/v1/steps', { params: { query: { ...query, ...page } } }))
    steps.push(...found.steps)
    cursor = found.next_cursor
  } while (cursor && steps.length < limit)
  output.rows('step', steps, screen =>
    steps.length === 0 ? screen.paint('dim', 'no steps found') : stepsTable(steps, now(), screen),
  )
  if (cursor) output.note(`the first ${plural(limit, 'step')}; there are more: --limit N shows more`)
  return EXIT.ok
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
    { title: 'FOUND', value: textOf, least: 12 },
  ]
  return table(columns, steps, screen)
}

const textOf = (step: Step) =>
  step.snippet?.text ?? step.error_message ?? step.outcome_reason ?? brief(step.output ?? '', 80)
