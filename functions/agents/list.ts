import * as z from 'zod'
import { Agent, agentOf } from '../../shared/accounts/wire/account.ts'
import { listAgents as list } from '../../shared/agents/queries/agents.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { uuid } from '../../shared/kernel/fields.ts'

export const listAgents = endpoint({
  method: 'get',
  path: '/v1/agents',
  tag: 'Agents',
  operation_id: 'listAgents',
  summary: 'List agents',
  description: 'Oldest first.',
  auth: 'any',
  query: z.strictObject({ project_id: uuid('Only agents of this project.').optional() }),
  answers: { 200: { description: 'The agents.', schema: z.array(Agent) } },
  errors: ['not_found'],
  async handle({ ctx, principal, query }) {
    const scope = await scopeOf(ctx, principal, query.project_id)
    return (await list(ctx.db, scope.account_id, scope.project_id)).map(agentOf)
  },
})
