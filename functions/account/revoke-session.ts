import { endpoint } from '../../shared/http/endpoint.ts'
import { notFound } from '../../shared/http/scope.ts'
import { revokeSessionOf } from '../../shared/sessions/queries/sessions.ts'

export const revokeSession = endpoint({
  method: 'delete',
  path: '/v1/sessions/{sessionId}',
  tag: 'Account',
  operation_id: 'revokeSession',
  summary: 'Revoke a session of yours',
  description: 'Both of its tokens are dead everywhere within five seconds.',
  auth: 'session',
  role: 'viewer',
  atomic: true,
  params: { sessionId: 'session' },
  answers: { 200: { description: 'Revoked; no body.' } },
  errors: [],
  async handle({ ctx, principal, params }) {
    if (!(await revokeSessionOf(ctx.db, principal.member_id, params.sessionId))) throw notFound('session')
  },
})
