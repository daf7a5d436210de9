import * as z from 'zod'
import { Agent, agentOf } from '../../shared/accounts/wire/account.ts'
import { updateAgent as update } from '../../shared/agents/verbs/agents.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn } from '../../shared/http/scope.ts'
import { label, prose, settings } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { budgetChanges } from '../../shared/prices/wire/budgets.ts'

const Changes = z
  .strictObject({
    name: label(LIMITS.name_characters, 'For people.').optional(),
    description: prose(LIMITS.description_characters, 'What it does.').optional(),
    config: settings('Takes the place of the configuration as a whole.').optional(),
    ...budgetChanges,
  })
  .refine(
    changes => Object.keys(changes).length > 0,
    'must change something: name, description, config or a budget',
  )

export const updateAgent = endpoint({
  method: 'patch',
  path: '/v1/agents/{agentId}',
  tag: 'Agents',
  operation_id: 'updateAgent',
  summary: 'Update an agent',
  description:
    'Bumps the version of the configuration. Deploys no code: the next run executes the current deployment.',
  auth: 'any',
  atomic: true,
  params: { agentId: 'agent' },
  body_bytes: LIMITS.configuration_bytes,
  body: Changes,
  answers: { 200: { description: 'The updated agent.', schema: Agent } },
  errors: [],
  async handle({ ctx, principal, params, body }) {
    const { project_id, id: agent_id } = await agentIn(ctx, principal, params.agentId)
    await update(ctx, { project_id, agent_id }, body)
    return agentOf(await agentIn(ctx, principal, params.agentId))
  },
})
