import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { NEXT_CURSOR, readPage, setNextCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn, scopeOf } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, pageSize, uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { isFullOfBytes } from '../../shared/kernel/page-bytes.ts'
import { listSchedules as list } from '../../shared/schedules/queries/schedules.ts'
import { Schedule, scheduleOf } from '../../shared/schedules/wire/schedules.ts'

export const listSchedules = endpoint({
  method: 'get',
  path: '/v1/schedules',
  tag: 'Schedules',
  operation_id: 'listSchedules',
  summary: 'List schedules',
  description: 'Newest first, each with its next moments and with what became of its latest.',
  auth: 'any',
  query: z.strictObject({
    project_id: uuid('Only schedules of this project.').optional(),
    agent_id: uuid('Only schedules of this agent.').optional(),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.schedules_page),
  }),
  answers: { 200: { description: 'The schedules.', schema: z.array(Schedule), headers: NEXT_CURSOR } },
  errors: ['invalid_cursor', 'not_found'],
  async handle({ ctx, principal, query, reply }) {
    const { cursor, limit, project_id, ...filters } = query
    if (filters.agent_id !== undefined) await agentIn(ctx, principal, filters.agent_id)
    const scope = await scopeOf(ctx, principal, project_id)
    const project_ids = await projectIdsOf(ctx.db, scope)
    const read = ([before_id]: string[] = [], limit: number) =>
      list(ctx, { project_ids, ...filters, before_id, limit })
    const identity = { list: 'schedules', ...scope, filters }
    const page = await readPage(ctx, identity, { cursor, limit }, read, row => [row.id], isFullOfBytes)
    setNextCursor(reply.headers, page)
    return page.rows.map(scheduleOf)
  },
})
