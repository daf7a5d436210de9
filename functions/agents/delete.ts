import { deleteAgent as remove } from '../../shared/agents/verbs/agents.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn } from '../../shared/http/scope.ts'

export const deleteAgent = endpoint({
  method: 'delete',
  path: '/v1/agents/{agentId}',
  tag: 'Agents',
  operation_id: 'deleteAgent',
  summary: 'Delete an agent',
  description:
    'For good: its deployments and runs go too, in the background. Runs under way are cancelled. Its slug is free at once.',
  auth: 'any',
  atomic: true,
  params: { agentId: 'agent' },
  answers: { 202: { description: 'The agent is gone; no body.' } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const { project_id, id: agent_id } = await agentIn(ctx, principal, params.agentId)
    await remove(ctx, { project_id, agent_id })
  },
})
