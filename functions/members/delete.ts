import { removeMember } from '../../shared/accounts/verbs/members.ts'
import { Member, memberOf } from '../../shared/accounts/wire/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { memberIn } from '../../shared/http/scope.ts'

export const deleteMember = endpoint({
  method: 'delete',
  path: '/v1/members/{memberId}',
  tag: 'Account',
  operation_id: 'deleteMember',
  summary: 'Remove a member',
  description: 'All sessions of the member are dead everywhere within five seconds. Keys stay.',
  auth: 'session',
  role: 'owner',
  atomic: true,
  params: { memberId: 'member' },
  answers: { 200: { description: 'The member that was removed.', schema: Member } },
  errors: ['last_owner'],
  async handle({ ctx, principal, params }) {
    const member = await memberIn(ctx, principal, params.memberId)
    await removeMember(ctx, member)
    return memberOf(member)
  },
})
