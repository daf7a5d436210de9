import { Agent, agentOf } from '../../shared/accounts/wire/account.ts'
import { readAgentActivity } from '../../shared/agents/queries/agent-activity.ts'
import { listAgents as list } from '../../shared/agents/queries/agents.ts'
import { AgentActivity, agentActivityOf } from '../../shared/agents/wire/agent-activity.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { uuid } from '../../shared/kernel/fields.ts'

const ListedAgent = Agent.extend({
  activity: AgentActivity.optional().describe('What it did lately; with activity alone.'),
}).openapi('ListedAgent', { description: 'An agent in a list.' })

export const listAgents = endpoint({
  method: 'get',
  path: '/v1/agents',
  tag: 'Agents',
  operation_id: 'listAgents',
  summary: 'List agents',
  description: 'Oldest first.',
  auth: 'any',
  query: z.strictObject({
    project_id: uuid('Only agents of this project.').optional(),
    activity: z.literal('true').optional().describe('Tells of each what it did lately too.'),
  }),
  answers: { 200: { description: 'The agents.', schema: z.array(ListedAgent) } },
  errors: ['not_found'],
  async handle({ ctx, principal, query }) {
    const scope = await scopeOf(ctx, principal, query.project_id)
    const agents = await list(ctx.db, scope.account_id, scope.project_id)
    if (query.activity === undefined) return agents.map(agentOf)
    const activity = new Map(
      (await readAgentActivity(ctx.sql, agents, ctx.now())).map(row => [row.agent_id, row]),
    )
    return agents.map(agent => ({ ...agentOf(agent), activity: agentActivityOf(activity.get(agent.id)!) }))
  },
})
