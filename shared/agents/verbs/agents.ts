// Creates, changes and deletes agents. Guarantee: creating and changing an agent touch nothing that is deployed.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import { type BudgetChanges, setBudgets } from '../../prices/verbs/budgets.ts'
import { withinQuota } from '../../quotas/verbs/quotas.ts'
import * as store from '../queries/agents.ts'

export interface NewAgent {
  project_id: string
  name: string
  slug: string
  description: string
}

/** @throws ApiError `agent_slug_taken`, `quota_exceeded` */
export async function createAgent(ctx: Context, agent: NewAgent): Promise<string> {
  const id = ctx.newId()
  const isMade = await withinQuota(ctx, { project_id: agent.project_id }, 'agents', ctx =>
    store.insertAgent(ctx.db, { id, ...agent }),
  )
  if (!isMade) {
    throw new ApiError('agent_slug_taken', `The project already has an agent with the slug "${agent.slug}".`)
  }
  return id
}

/** Applies the changes and bumps the configuration's version. */
export async function updateAgent(
  ctx: Context,
  agent: AgentKey,
  changes: store.AgentChanges & BudgetChanges,
): Promise<void> {
  await store.updateAgent(ctx.db, agent, changes)
  await setBudgets(ctx, agent, changes)
}

/** Deletes an agent: it is out of reach at once, and the tick cancels its runs and removes them with all their data. */
export async function deleteAgent(ctx: Context, agent: AgentKey): Promise<void> {
  await store.markAgentDeleted(ctx.db, agent)
  ctx.notify()
}
