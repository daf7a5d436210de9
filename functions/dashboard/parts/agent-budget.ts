// Refuses a budget that would not be enforced, before a form is sent on. The API takes it, and says so on the run.

import { ApiError } from '../../../shared/kernel/errors.ts'
import { microOf } from '../../../shared/prices/rules/pricing.ts'
import type { Client } from '../../../shared/sdk/client.ts'
import { REPORT_CALLS, sayRefusedBudget } from '../../../shared/view/model-calls.ts'

interface Start {
  agent_id: string
  budget_cents: number | null | undefined
  allow_unpriced: boolean
}

/** @throws ApiError `invalid_request` */
export async function checkBudget(
  api: Client,
  { agent_id, budget_cents, allow_unpriced }: Start,
): Promise<void> {
  if (budget_cents == null || allow_unpriced) return
  const { data } = await api.GET('/v1/agents/{agentId}', { params: { path: { agentId: agent_id } } })
  const { slug, budget_gap } = data!
  if (budget_gap === null) return
  throw new ApiError(
    'invalid_request',
    sayRefusedBudget(slug, microOf(budget_cents), budget_gap),
    `${REPORT_CALLS} Or go on without a budget that counts: tick “${UNCOUNTED}”.`,
  )
}

/** The label of the box that forms have beside a budget. */
export const UNCOUNTED = 'Go on with calls that the budget does not count'
