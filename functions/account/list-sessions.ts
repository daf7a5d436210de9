import { OpenSession, sessionOf } from '../../shared/accounts/wire/members.ts'
import { NEXT_CURSOR, readPage, setNextCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, pageSize } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { listSessions as list } from '../../shared/sessions/queries/sessions.ts'

export const listSessions = endpoint({
  method: 'get',
  path: '/v1/sessions',
  tag: 'Account',
  operation_id: 'listSessions',
  summary: 'List your sessions',
  description: 'Those that are still good, newest first.',
  auth: 'session',
  query: z.strictObject({ cursor: cursor.optional(), limit: pageSize(LIMITS.sessions_page) }),
  answers: { 200: { description: 'The sessions.', schema: z.array(OpenSession), headers: NEXT_CURSOR } },
  errors: ['invalid_cursor'],
  async handle({ ctx, principal, query, reply }) {
    const { account_id, member_id, session_id } = principal
    const identity = { list: 'sessions', account_id, project_id: null, filters: { member_id } }
    const read = ([before_id]: string[] = [], limit: number) => list(ctx.db, member_id, { before_id, limit })
    const page = await readPage(ctx, identity, query, read, row => [row.id])
    setNextCursor(reply.headers, page)
    return page.rows.map(row => sessionOf(row, session_id))
  },
})
