import { password } from '../../shared/accounts/wire/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { usePasswordLink as use } from '../../shared/sessions/verbs/password-links.ts'

export const usePasswordLink = endpoint({
  method: 'post',
  path: '/v1/account/password/by-link',
  tag: 'Account',
  operation_id: 'usePasswordLink',
  summary: 'Set a password by a link',
  description:
    'Takes the token of a link that an owner made. All sessions of the member are dead everywhere within five seconds.',
  auth: 'none',
  body: z.strictObject({
    token: z.string().min(1).max(LIMITS.name_characters).describe('What stands behind `token=` in the link.'),
    new_password: password,
  }),
  answers: { 200: { description: 'Set; no body. Sign in with it.' } },
  errors: ['unauthenticated', 'rate_limited'],
  handle: ({ ctx, body }) => use(ctx, body.token, body.new_password),
})
