import { madeBy } from '../../shared/accounts/verbs/made.ts'
import { changeRole } from '../../shared/accounts/verbs/members.ts'
import {
  ChangedMember,
  memberOf,
  NOTHING_LEFT,
  Revoking,
  revocationOf,
  role,
} from '../../shared/accounts/wire/members.ts'
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
    'The new role holds within five seconds. Of a member who may do less than before, the answer lists what stays of what they made, as when a member is removed, and `revoke_keys` and `revoke_triggers` revoke it as well. A password is changed by its member, with POST /v1/account/password, or by a link: POST /v1/members/{memberId}/password-link.',
  auth: 'session',
  role: 'owner',
  atomic: true,
  params: { memberId: 'member' },
  query: Revoking,
  body: z.strictObject({ role }),
  answers: { 200: { description: 'The member.', schema: ChangedMember } },
  errors: ['last_owner'],
  async handle({ ctx, principal, params, query, body, reply }) {
    const member = await memberIn(ctx, principal, params.memberId)
    const revoked = await changeRole(ctx, member, body.role, revocationOf(query))
    if (revoked) reply.after = madeBy(member, principal)
    return { ...memberOf({ ...member, role: body.role }), ...(revoked ?? NOTHING_LEFT) }
  },
})
