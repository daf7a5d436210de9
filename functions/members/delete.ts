import { madeBy } from '../../shared/accounts/verbs/made.ts'
import { removeMember } from '../../shared/accounts/verbs/members.ts'
import { memberOf, RemovedMember, Revoking, revocationOf } from '../../shared/accounts/wire/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { memberIn } from '../../shared/http/scope.ts'

export const deleteMember = endpoint({
  method: 'delete',
  path: '/v1/members/{memberId}',
  tag: 'Account',
  operation_id: 'deleteMember',
  summary: 'Remove a member',
  description:
    'All sessions of the member are dead everywhere within five seconds. Links for passwords that the member made end. The answer lists what stays of what the member made or raised: keys, triggers, members, deployments, schedules and more, and what was made with these. With `revoke_keys` and `revoke_triggers` the keys and triggers among them are revoked as well.',
  auth: 'session',
  role: 'owner',
  atomic: true,
  params: { memberId: 'member' },
  query: Revoking,
  answers: { 200: { description: 'The member that was removed.', schema: RemovedMember } },
  errors: ['last_owner'],
  async handle({ ctx, principal, params, query, reply }) {
    const member = await memberIn(ctx, principal, params.memberId)
    reply.after = madeBy(member, principal)
    return { ...memberOf(member), ...(await removeMember(ctx, member, revocationOf(query))) }
  },
})
