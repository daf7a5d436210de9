import { removeMember } from '../../shared/accounts/verbs/members.ts'
import { memberOf, RemovedMember } from '../../shared/accounts/wire/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { memberIn } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'

export const deleteMember = endpoint({
  method: 'delete',
  path: '/v1/members/{memberId}',
  tag: 'Account',
  operation_id: 'deleteMember',
  summary: 'Remove a member',
  description:
    'All sessions of the member are dead everywhere within five seconds. The answer lists what the member made that stays: keys, triggers, schedules, alert channels, members, and what was made with these. With `revoke_keys` the keys among them are revoked as well.',
  auth: 'session',
  role: 'owner',
  atomic: true,
  params: { memberId: 'member' },
  query: z.strictObject({ revoke_keys: z.enum(['true', 'false']).default('false') }),
  answers: { 200: { description: 'The member that was removed.', schema: RemovedMember } },
  errors: ['last_owner'],
  async handle({ ctx, principal, params, query }) {
    const member = await memberIn(ctx, principal, params.memberId)
    const revoked_keys = query.revoke_keys === 'true'
    return { ...memberOf(member), revoked_keys, made: await removeMember(ctx, member, revoked_keys) }
  },
})
