// Refuses a budget that would not be enforced, before anything is sent. The API takes it, and says so on the run.

import { microOf } from '../prices/rules/pricing.ts'
import { REPORT_CALLS, sayRefusedBudget } from '../view/model-calls.ts'
import { answered } from './api.ts'
import { EXIT, Failure } from './failure.ts'
import type { Session } from './session.ts'

interface Start {
  agent_id: string
  budget_cents?: number | null | undefined
  allow_unpriced?: boolean | null | undefined
}

/** @throws Failure `budget_not_enforced` */
export async function refuseOpenBudget(
  { api }: Pick<Session, 'api'>,
  { agent_id, budget_cents, allow_unpriced }: Start,
): Promise<void> {
  if (budget_cents == null || allow_unpriced) return
  const params = { path: { agentId: agent_id } }
  const { slug, budget_gap } = await answered(api.GET('/v1/agents/{agentId}', { params }))
  if (budget_gap === null) return
  throw new Failure(
    EXIT.usage,
    'budget_not_enforced',
    sayRefusedBudget(slug, microOf(budget_cents), budget_gap),
    { hint: `${REPORT_CALLS} --allow-unpriced goes on without one that counts.` },
  )
}
