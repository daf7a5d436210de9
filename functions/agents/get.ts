import { Agent, agentOf } from '../../shared/accounts/wire/account.ts'
import { sumCodeVersions } from '../../shared/agents/queries/code-versions.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn } from '../../shared/http/scope.ts'
import { SeenCodeVersion, seenCodeVersionOf } from '../../shared/items/wire/code-versions.ts'
import { budgetGapField, modelCalls } from '../../shared/items/wire/run-budget.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { findCallFacts } from '../../shared/prices/queries/call-facts.ts'
import { budgetGap, modelCallsOf } from '../../shared/prices/rules/held-budget.ts'

const AgentRead = Agent.extend({
  model_calls: modelCalls,
  budget_gap: budgetGapField.describe(
    'Why a budget of its next run would not be enforced; null if it would.',
  ),
  code_versions: z
    .array(SeenCodeVersion)
    .describe('The versions of its code that answers of the current deployment named, the newest first.'),
}).openapi('AgentRead', { description: 'An agent, and what is known of its code.' })

export const getAgent = endpoint({
  method: 'get',
  path: '/v1/agents/{agentId}',
  tag: 'Agents',
  operation_id: 'getAgent',
  summary: 'Get an agent',
  description:
    'With its configuration, the version that is deployed, and what its answers said about the code behind it.',
  auth: 'any',
  params: { agentId: 'agent' },
  answers: { 200: { description: 'The agent with its configuration.', schema: AgentRead } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const agent = await agentIn(ctx, principal, params.agentId)
    const { project_id, id: agent_id, current_deployment_id } = agent
    const model_calls = modelCallsOf(await findCallFacts(ctx.sql, { project_id, agent_id }))
    const versions =
      current_deployment_id === null
        ? []
        : await sumCodeVersions(ctx.sql, { project_id, agent_id, deployment_id: current_deployment_id })
    return {
      ...agentOf(agent),
      model_calls,
      budget_gap: budgetGap(model_calls),
      code_versions: versions.map(seenCodeVersionOf),
    }
  },
})
