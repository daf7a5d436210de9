// The shape of an agent's recent activity, which callers may request with the list of agents.

import { count, id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { usdOf } from '../../prices/rules/pricing.ts'

export const AgentActivity = z
  .object({
    last_run: z
      .object({ id: id('The run.'), created_at: timestamp })
      .nullable()
      .describe('The newest run of the agent; null before the first.'),
    runs: count(
      `Its latest runs of the last 7 days that replay nothing, at most ${LIMITS.agent_runs_summed}.`,
    ),
    ok: count('Items of those runs that worked.'),
    not_ok: count('Items of those runs that ended otherwise: degraded, failed or over budget.'),
    over_budget: count('Of these, items that a budget ended: most of them never ran.'),
    cost_usd: z
      .number()
      .describe('What its calls of models cost, by the day a call began: 30 days in UTC, today included.'),
    open_runs: count('Runs that have not ended.'),
    held: count('Items of those that wait for a person or for money.'),
  })
  .openapi('AgentActivity', { description: 'What an agent did lately.' })

export interface AgentActivityRow {
  agent_id: string
  last_run_id: string | null
  last_run_at: Date | null
  runs: number
  ok: number
  not_ok: number
  over_budget: number
  cost_micro: number
  open_runs: number
  held: number
}

export const agentActivityOf = (row: AgentActivityRow): z.input<typeof AgentActivity> => ({
  last_run:
    row.last_run_id === null ? null : { id: row.last_run_id, created_at: row.last_run_at!.toISOString() },
  runs: row.runs,
  ok: row.ok,
  not_ok: row.not_ok,
  over_budget: row.over_budget,
  cost_usd: usdOf(row.cost_micro),
  open_runs: row.open_runs,
  held: row.held,
})
