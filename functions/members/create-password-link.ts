import { PasswordLink } from '../../shared/accounts/wire/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { memberIn } from '../../shared/http/scope.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { makePasswordLink } from '../../shared/sessions/verbs/password-links.ts'

export const createPasswordLink = endpoint({
  method: 'post',
  path: '/v1/members/{memberId}/password-link',
  tag: 'Account',
  operation_id: 'createPasswordLink',
  summary: 'Make a link for a new password',
  description: `For another member who has lost theirs: whoever opens the link sets a new password, once, within ${LIMITS.password_link_hours} hours. Assay sends no mail: pass it on. It ends with a new password of theirs or yours, when you sign out, and when you are no owner any more.`,
  auth: 'session',
  role: 'owner',
  shows_secret: true,
  atomic: true,
  params: { memberId: 'member' },
  answers: { 201: { description: 'The link.', schema: PasswordLink } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const { id } = await memberIn(ctx, principal, params.memberId)
    return makePasswordLink(ctx, principal, id)
  },
})
