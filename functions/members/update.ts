import { changeMember } from '../../shared/accounts/verbs/members.ts'
import { Member, memberOf, password, role } from '../../shared/accounts/wire/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { memberIn } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'

const Changes = z
  .strictObject({ role: role.optional(), password: password.optional() })
  .refine(changes => Object.keys(changes).length > 0, 'must change something: role or password')

export const updateMember = endpoint({
  method: 'patch',
  path: '/v1/members/{memberId}',
  tag: 'Account',
  operation_id: 'updateMember',
  summary: "Change a member's role or password",
  description: 'A new password ends all sessions of the member; a new role holds within five seconds.',
  auth: 'session',
  role: 'owner',
  atomic: true,
  params: { memberId: 'member' },
  body: Changes,
  answers: { 200: { description: 'The member.', schema: Member } },
  errors: ['last_owner'],
  async handle({ ctx, principal, params, body }) {
    await changeMember(ctx, await memberIn(ctx, principal, params.memberId), body)
    return memberOf(await memberIn(ctx, principal, params.memberId))
  },
})
