import { z } from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn } from '../../shared/http/scope.ts'
import { Deployment, deploymentOf } from '../../shared/schema/wire-account.ts'
import { listDeployments as list } from '../../shared/store/deployments.ts'

export const listDeployments = endpoint({
  method: 'get',
  path: '/v1/agents/{agentId}/deployments',
  tag: 'Agents',
  operation_id: 'listDeployments',
  summary: "List an agent's deployments",
  description: 'Newest first. Environments are never shown.',
  auth: 'any',
  params: { agentId: 'agent' },
  answers: { 200: { description: 'The deployments.', schema: z.array(Deployment) } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await agentIn(ctx, principal, params.agentId)
    return (await list(ctx.db, params.agentId)).map(deploymentOf)
  },
})
