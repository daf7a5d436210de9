import { Agent, type AgentRow, agentOf } from '../../shared/accounts/wire/account.ts'
import { readAgentActivity } from '../../shared/agents/queries/agent-activity.ts'
import { agentsInChunks } from '../../shared/agents/queries/agents.ts'
import { AgentActivity, agentActivityOf } from '../../shared/agents/wire/agent-activity.ts'
import type { Context } from '../../shared/context.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { started, streamed } from '../../shared/http/stream.ts'
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
  description: 'Oldest first, streamed: an answer that breaks off was not complete.',
  auth: 'any',
  streams: true,
  query: z.strictObject({
    project_id: uuid('Only agents of this project.').optional(),
    config: z
      .literal('false')
      .optional()
      .describe('Leaves out the configurations, each then {}: those of many agents may be long.'),
    activity: z.literal('true').optional().describe('Also reports what each did lately.'),
  }),
  answers: { 200: { description: 'The agents.', schema: z.array(ListedAgent) } },
  errors: ['not_found'],
  async handle({ principal, query, read }) {
    const owner = await read(ctx => scopeOf(ctx, principal, query.project_id))
    const chunks = agentsInChunks({ ...owner, configured: query.config !== 'false' }, next =>
      read(async ctx => {
        const agents = await next(ctx.db)
        return query.activity === undefined ? agents.map(agentOf) : withActivity(ctx, agents)
      }),
    )
    return streamed(await started(chunks), agent => agent, 'array')
  },
})

async function withActivity(ctx: Context, agents: AgentRow[]) {
  const rows = await readAgentActivity(ctx.sql, agents, ctx.now())
  const activity = new Map(rows.map(row => [row.agent_id, row]))
  return agents.map(agent => ({ ...agentOf(agent), activity: agentActivityOf(activity.get(agent.id)!) }))
}
