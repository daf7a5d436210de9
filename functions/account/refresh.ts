import * as z from 'zod'
import { Session } from '../../shared/accounts/wire/account.ts'
import { forgetSession } from '../../shared/http/caller-cache.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { signAccessToken } from '../../shared/http/session-tokens.ts'
import { label } from '../../shared/kernel/fields.ts'
import { sessionOfRefresh } from '../../shared/sessions/verbs/refresh-token.ts'
import { refreshSession as refresh } from '../../shared/sessions/verbs/sign-in.ts'

export const refreshSession = endpoint({
  method: 'post',
  path: '/v1/sessions/refresh',
  tag: 'Account',
  operation_id: 'refreshSession',
  summary: 'Trade a refresh token for the next pair of tokens',
  description: 'A refresh token works once: the answer brings the next.',
  auth: 'none',
  shows_secret: true,
  body: z.strictObject({ refresh_token: label(256, 'The refresh token last given.') }),
  answers: { 200: { description: 'New tokens of the same session.', schema: Session } },
  errors: ['unauthenticated'],
  async handle({ ctx, body }) {
    const session = await refresh(ctx, body.refresh_token).catch(async error => {
      // A token that is used twice ends its session.
      const ended = await sessionOfRefresh(ctx, body.refresh_token)
      if (ended !== undefined) forgetSession(ended)
      throw error
    })
    return { token_type: 'Bearer', ...session, ...(await signAccessToken(ctx, session.session_id)) }
  },
})
