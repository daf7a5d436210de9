import * as z from 'zod'
import { planPromotion, promote } from '../../shared/agents/verbs/deploy.ts'
import { DryRun, deployedOf, dryRunOf, Promoted } from '../../shared/agents/wire/deploy.ts'
import { PromoteOrder } from '../../shared/agents/wire/deploy-order.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn } from '../../shared/http/scope.ts'

export const promoteDeployment = endpoint({
  method: 'post',
  path: '/v1/agents/{agentId}/deployments/{deploymentId}/promote',
  tag: 'Agents',
  operation_id: 'promoteDeployment',
  summary: 'Make an older deployment the current one',
  description:
    'Runs submitted from now on execute it; runs under way go on with theirs. The schedules and triggers of the agent become what this version declares, as when it was deployed; but triggers it does not declare are kept, since their URLs and secrets could not be had again.',
  auth: 'any',
  shows_secret: true,
  atomic: true,
  params: { agentId: 'agent', deploymentId: 'deployment' },
  body: PromoteOrder.optional(),
  answers: {
    200: {
      description: 'The deployment, now current; or a dry run, which did nothing.',
      schema: z.union([Promoted, DryRun]),
    },
  },
  errors: ['quota_exceeded'],
  async handle({ ctx, principal, params: { agentId, deploymentId }, body }) {
    const { project_id } = await agentIn(ctx, principal, agentId)
    const agent = { project_id, agent_id: agentId }
    if (body?.dry_run) return dryRunOf(await planPromotion(ctx, agent, deploymentId))
    return deployedOf(await promote(ctx, agent, deploymentId))
  },
})
