import { NEXT_CURSOR, readPage, setNextCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, pageSize, uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { listRecoveries as list } from '../../shared/recovery/queries/recoveries.ts'
import { Recovery, recoveryOf } from '../../shared/recovery/wire/recoveries.ts'

export const listRecoveries = endpoint({
  method: 'get',
  path: '/v1/recoveries',
  tag: 'Recovery',
  operation_id: 'listRecoveries',
  summary: 'List recoveries',
  description: 'Newest first.',
  auth: 'any',
  query: z.strictObject({
    project_id: uuid('Only recoveries of this project.').optional(),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.recoveries_page),
  }),
  answers: { 200: { description: 'The recoveries.', schema: z.array(Recovery), headers: NEXT_CURSOR } },
  errors: ['invalid_cursor', 'not_found'],
  async handle({ ctx, principal, query, reply }) {
    const { cursor, limit, project_id } = query
    const scope = await scopeOf(ctx, principal, project_id)
    const read = ([before_id]: string[] = [], limit: number) => list(ctx.db, { ...scope, before_id, limit })
    const identity = { list: 'recoveries', ...scope, filters: {} }
    const page = await readPage(ctx, identity, { cursor, limit }, read, row => [row.id])
    setNextCursor(reply.headers, page)
    return page.rows.map(row => recoveryOf(row))
  },
})
