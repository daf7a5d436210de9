import { readPage } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn, scopeOf } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, pageSize, uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { listTriggers as list } from '../../shared/triggers/queries/triggers.ts'
import { Trigger, triggerOf } from '../../shared/triggers/wire/triggers.ts'

export const listTriggers = endpoint({
  method: 'get',
  path: '/v1/triggers',
  tag: 'Schedules',
  operation_id: 'listTriggers',
  summary: 'List triggers',
  description: 'Newest first, with their URLs and when each last started a run.',
  auth: 'any',
  query: z.strictObject({
    project_id: uuid('Only triggers of this project.').optional(),
    agent_id: uuid('Only triggers of this agent.').optional(),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.triggers_page),
  }),
  answers: {
    200: {
      description: 'The triggers.',
      schema: z.object({ triggers: z.array(Trigger), next_cursor: z.string().nullable() }),
    },
  },
  errors: ['invalid_cursor', 'not_found'],
  async handle({ ctx, principal, query }) {
    const { cursor, limit, project_id, agent_id } = query
    const scope = await scopeOf(ctx, principal, project_id)
    if (agent_id !== undefined) await agentIn(ctx, principal, agent_id)
    const read = ([before_id]: string[] = [], limit: number) =>
      list(ctx.db, { ...scope, agent_id, before_id, limit })
    const identity = { list: 'triggers', ...scope, filters: { agent_id } }
    const page = await readPage(ctx, identity, { cursor, limit }, read, row => [row.id])
    const triggers = page.rows.map(row => triggerOf(row, ctx.config.base_url))
    return { triggers, next_cursor: page.next_cursor }
  },
})
