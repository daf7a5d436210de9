import { changePassword as change, checkNewPassword } from '../../shared/accounts/verbs/members.ts'
import { password } from '../../shared/accounts/wire/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

export const changePassword = endpoint({
  method: 'post',
  path: '/v1/account/password',
  tag: 'Account',
  operation_id: 'changePassword',
  summary: 'Change your password',
  description: 'Every session of yours but this one is dead everywhere within five seconds.',
  auth: 'session',
  role: 'viewer',
  atomic: true,
  body: z.strictObject({
    current_password: z.string().min(1).max(LIMITS.password_characters.max),
    new_password: password,
  }),
  answers: { 200: { description: 'Changed; no body.' } },
  errors: ['rate_limited'],
  prepare: (ctx, { principal, body }) =>
    checkNewPassword(ctx, principal, body.current_password, body.new_password),
  handle: ({ ctx, principal, prepared }) => change(ctx, principal, prepared),
})
