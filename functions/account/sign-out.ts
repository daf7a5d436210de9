import { endpoint } from '../../shared/http/endpoint.ts'
import { signOut } from '../../shared/sessions/verbs/sign-in.ts'

export const deleteCurrentSession = endpoint({
  method: 'delete',
  path: '/v1/sessions/current',
  tag: 'Account',
  operation_id: 'deleteCurrentSession',
  summary: 'Sign out',
  description: 'Both tokens of the session are dead everywhere within five seconds.',
  auth: 'session',
  role: 'viewer',
  atomic: true,
  answers: { 200: { description: 'Signed out; no body.' } },
  errors: [],
  handle: ({ ctx, principal }) => signOut(ctx, principal.session_id),
})
