import { z } from '@hono/zod-openapi'
import { LIMITS } from '../../shared/domain/limits.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { OpenSession, sessionOf } from '../../shared/schema/wire-members.ts'
import { listSessions as list } from '../../shared/store/sessions.ts'

export const listSessions = endpoint({
  method: 'get',
  path: '/v1/sessions',
  tag: 'Account',
  operation_id: 'listSessions',
  summary: 'List your sessions',
  description: `Those that are still good, newest first; at most ${LIMITS.sessions_listed}.`,
  auth: 'session',
  answers: { 200: { description: 'The sessions.', schema: z.array(OpenSession) } },
  errors: [],
  async handle({ ctx, principal }) {
    const rows = await list(ctx.db, principal.member_id, LIMITS.sessions_listed)
    return rows.map(row => sessionOf(row, principal.session_id))
  },
})
