import * as z from 'zod'
import { Session } from '../../shared/accounts/wire/account.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { signAccessToken } from '../../shared/http/session-tokens.ts'
import { label } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { signIn } from '../../shared/sessions/verbs/sign-in.ts'

export const createSession = endpoint({
  method: 'post',
  path: '/v1/sessions',
  tag: 'Account',
  operation_id: 'createSession',
  summary: 'Sign in',
  description: `After too many failures for an e-mail or from an address it takes patience. The access token is good for ${LIMITS.session_minutes} minutes, the refresh token once, within ${LIMITS.refresh_days} days.`,
  auth: 'none',
  shows_secret: true,
  body: z.strictObject({
    email: label(LIMITS.name_characters, 'The e-mail of a member.'),
    password: z.string().min(1).max(LIMITS.password_characters.max),
  }),
  answers: { 201: { description: 'The tokens of a new session.', schema: Session } },
  errors: ['unauthenticated', 'rate_limited'],
  async handle({ ctx, body, request }) {
    const client = {
      address: ctx.addressOf(request),
      user_agent: request.headers.get('user-agent') ?? '',
    }
    const session = await signIn(ctx, body.email, body.password, client)
    return { token_type: 'Bearer', ...session, ...(await signAccessToken(ctx, session.session_id)) }
  },
})
