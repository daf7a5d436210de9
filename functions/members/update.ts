import { changeRole } from '../../shared/accounts/verbs/members.ts'
import { Member, memberOf, role } from '../../shared/accounts/wire/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { memberIn } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'

export const updateMember = endpoint({
  method: 'patch',
  path: '/v1/members/{memberId}',
  tag: 'Account',
  operation_id: 'updateMember',
  summary: "Change a member's role",
  description:
    'The new role holds within five seconds. A password is changed by its member, with POST /v1/account/password, or by a link: POST /v1/members/{memberId}/password-link.',
  auth: 'session',
  role: 'owner',
  atomic: true,
  params: { memberId: 'member' },
  body: z.strictObject({ role }),
  answers: { 200: { description: 'The member.', schema: Member } },
  errors: ['last_owner'],
  async handle({ ctx, principal, params, body }) {
    await changeRole(ctx, await memberIn(ctx, principal, params.memberId), body.role)
    return memberOf(await memberIn(ctx, principal, params.memberId))
  },
})
