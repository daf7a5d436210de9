import { confirmDeletion, deleteAccount as remove } from '../../shared/accounts/verbs/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { label } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

export const deleteAccount = endpoint({
  method: 'post',
  path: '/v1/account/deletion',
  tag: 'Account',
  operation_id: 'deleteAccount',
  summary: 'Delete the account',
  description:
    'For good: members, sessions, keys and the log are gone with the answer, and what the projects hold is removed in the background.',
  auth: 'session',
  role: 'owner',
  unlogged: true, // the log is deleted with it
  atomic: true,
  body: z.strictObject({
    account_name: label(LIMITS.name_characters, 'The name of the account, to say that you mean it.'),
    password: z.string().min(1).max(LIMITS.password_characters.max).describe('Your own.'),
  }),
  answers: { 202: { description: 'The account is gone; no body.' } },
  errors: ['rate_limited'],
  prepare: (ctx, { principal, body }) => confirmDeletion(ctx, principal, body),
  handle: ({ ctx, principal }) => remove(ctx, principal.account_id),
})
