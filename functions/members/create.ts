import { addMember } from '../../shared/accounts/verbs/members.ts'
import { email, Member, memberOf, password, role } from '../../shared/accounts/wire/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import * as z from '../../shared/kernel/documented-zod.ts'

export const createMember = endpoint({
  method: 'post',
  path: '/v1/members',
  tag: 'Account',
  operation_id: 'createMember',
  summary: 'Add a member',
  description:
    'Assay sends no mail: give the member the password, to be changed with POST /v1/account/password.',
  auth: 'session',
  role: 'owner',
  atomic: true,
  body: z.strictObject({ email, role, password }),
  answers: { 201: { description: 'The member.', schema: Member } },
  errors: ['email_taken', 'plan_limit', 'rate_limited'],
  handle: async ({ ctx, principal, body }) =>
    memberOf(await addMember(ctx, { account_id: principal.account_id, ...body })),
})
