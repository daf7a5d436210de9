import { deploy } from '../../shared/engine/deploy.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn } from '../../shared/http/scope.ts'
import { DeployOrder } from '../../shared/schema/deploy-order.ts'
import { Deployed, deploymentOf } from '../../shared/schema/wire-account.ts'

export const createDeployment = endpoint({
  method: 'post',
  path: '/v1/agents/{agentId}/deployments',
  tag: 'Agents',
  operation_id: 'createDeployment',
  summary: 'Deploy an agent',
  description:
    'Makes the content the current version; runs submitted from now on execute it. The same code, declaration and environment deployed again is the version it was.',
  auth: 'any',
  atomic: true,
  params: { agentId: 'agent' },
  body: DeployOrder,
  answers: {
    201: { description: 'A new version.', schema: Deployed },
    200: {
      description: 'The same content was a version already; it is the current one now.',
      schema: Deployed,
    },
  },
  errors: [],
  async handle({ ctx, principal, params, body, reply }) {
    const agent = await agentIn(ctx, principal, params.agentId)
    const { deployment, created } = await deploy(ctx, {
      project_id: agent.project_id,
      agent_id: agent.id,
      code: body.kind === 'bundle' ? { kind: 'bundle', text: body.code } : body,
      declaration: body.declaration,
      env: body.env ?? {},
      external_id: body.external_id ?? null,
    })
    reply.status = created ? 201 : 200
    return { ...deploymentOf(deployment), created }
  },
})
