import { promote } from '../../shared/engine/deploy.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn } from '../../shared/http/scope.ts'
import { Deployment, deploymentOf } from '../../shared/schema/wire-account.ts'

export const promoteDeployment = endpoint({
  method: 'post',
  path: '/v1/agents/{agentId}/deployments/{deploymentId}/promote',
  tag: 'Agents',
  operation_id: 'promoteDeployment',
  summary: 'Make an older deployment the current one',
  description: 'Runs submitted from now on execute it; runs under way go on with theirs.',
  auth: 'any',
  atomic: true,
  params: { agentId: 'agent', deploymentId: 'deployment' },
  answers: { 200: { description: 'The deployment, now current.', schema: Deployment } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await agentIn(ctx, principal, params.agentId)
    return deploymentOf(await promote(ctx, params.agentId, params.deploymentId))
  },
})
