import { estimateStart } from '../../shared/claims/verbs/estimate.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { CONCURRENCY, concurrency, queryNumber } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { Estimate, estimateAnswer } from '../../shared/upstreams/wire/estimate.ts'

const ITEMS = [1, LIMITS.items_per_run] as const
const items = z.int().min(ITEMS[0]).max(ITEMS[1]).describe('How many items it would have.')

export const estimateRun = endpoint({
  method: 'get',
  path: '/v1/agents/{agentId}/estimate',
  tag: 'Agents',
  operation_id: 'estimateRun',
  summary: 'Estimate a run',
  description:
    'How long a run over so many items would take if it began now, beside the runs that are open. Nothing is started.',
  auth: 'any',
  params: { agentId: 'agent' },
  query: z.strictObject({
    items: queryNumber(items, ITEMS),
    concurrency: queryNumber(concurrency, CONCURRENCY).optional(),
  }),
  answers: {
    200: {
      description: 'How long it would take.',
      schema: z
        .object({
          agent_slug: z.string(),
          deployment_version: z
            .int()
            .nullable()
            .describe('The version that would run; null if none is deployed.'),
          items: z.int(),
          estimate: Estimate,
        })
        .openapi('RunEstimate', { description: 'How long a run would take that has not started.' }),
    },
  },
  errors: [],
  async handle({ ctx, principal, params, query: { items, concurrency = null } }) {
    const { project_id, id: agent_id, slug } = await agentIn(ctx, principal, params.agentId)
    const start = { project_id, agent_id, items, concurrency }
    const { deployment_version, foreseen } = await estimateStart(ctx.sql, start)
    const estimate = estimateAnswer(foreseen, ctx.now())
    return { agent_slug: slug, deployment_version, items, estimate }
  },
})
