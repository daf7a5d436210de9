// Commands that show and set the budgets by day and month of a project or an agent.

import { defined } from '../kernel/defined.ts'
import { answered, findAgent, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { clean, money } from './format.ts'
import { projectOf } from './projects.ts'
import type { Session } from './session.ts'

type Budget = Schemas['Budget']

/** The budgets given, in cents; null removes one. */
const changesOf = (given: Given) =>
  defined({ day_budget_cents: given.amountOrNone('day'), month_budget_cents: given.amountOrNone('month') })

/** @example "day: $1.20 of $5.00 spent, $3.80 left until 2026-03-29T22:00:00.000Z" */
export const budgetLine = ({ period, spent_cents, limit_cents, left_cents, ends_at }: Budget): string =>
  `${period}: ${money(spent_cents / 100)} of ${money(limit_cents / 100)} spent, ${money(left_cents / 100)} left until ${ends_at}`

const budgetLines = (budgets: readonly Budget[]) =>
  budgets.length === 0 ? ['no budget by day or month'] : budgets.map(budgetLine)

export async function projectBudget(session: Session, given: Given): Promise<void> {
  const { api, output } = session
  const path = await projectOf(session, given)
  const others = { credit_cents: given.amountOrNone('credit'), timezone: given.text('timezone') }
  const body = { ...changesOf(given), ...defined(others) }
  const project = await answered(
    Object.keys(body).length === 0
      ? api.GET('/v1/projects/{projectId}', { params: { path } })
      : api.PATCH('/v1/projects/{projectId}', { params: { path }, body }),
  )
  const { budgets, spent_cents } = project
  const credit =
    project.credit_cents === null
      ? `credit: ${money(spent_cents / 100)} spent, no limit`
      : `credit: ${money(spent_cents / 100)} of ${money(project.credit_cents / 100)} spent`
  output.emit('project', project, () =>
    [`${clean(project.name)} (${project.timezone})`, ...budgetLines(budgets), credit].join('\n'),
  )
}

export async function agentBudget(session: Session, given: Given): Promise<void> {
  const { api, output } = session
  const { id } = await findAgent(api, given.arg(0))
  const [path, body] = [{ agentId: id }, changesOf(given)]
  const agent = await answered(
    Object.keys(body).length === 0
      ? api.GET('/v1/agents/{agentId}', { params: { path } })
      : api.PATCH('/v1/agents/{agentId}', { params: { path }, body }),
  )
  output.emit('agent', agent, () => [clean(agent.slug), ...budgetLines(agent.budgets)].join('\n'))
}
