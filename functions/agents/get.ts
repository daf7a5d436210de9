import { Agent, agentOf } from '../../shared/accounts/wire/account.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn } from '../../shared/http/scope.ts'

export const getAgent = endpoint({
  method: 'get',
  path: '/v1/agents/{agentId}',
  tag: 'Agents',
  operation_id: 'getAgent',
  summary: 'Get an agent',
  description: 'With its configuration, and the version that is deployed.',
  auth: 'any',
  params: { agentId: 'agent' },
  answers: { 200: { description: 'The agent with its configuration.', schema: Agent } },
  errors: [],
  handle: async ({ ctx, principal, params }) => agentOf(await agentIn(ctx, principal, params.agentId)),
})
