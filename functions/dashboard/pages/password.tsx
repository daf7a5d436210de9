// Sets a password by a link of an owner, for a member who cannot sign in.

import * as z from 'zod'
import { ApiFailure } from '../../../shared/sdk/client.ts'
import { NewPassword } from '../parts/form.tsx'
import { ROOT, SIGN_IN } from '../shell/addresses.ts'
import { action, page, type View } from '../shell/page.ts'

const PASSWORD = `${ROOT}/password`

const form = (token: string, refusal?: ApiFailure): View => ({
  title: 'New password',
  status: refusal?.status === 429 ? 429 : refusal ? 400 : 200,
  retry_after_s: refusal?.retry_after_s,
  body: (
    <section class="sign-in">
      <h1>New password</h1>
      {refusal && (
        <div class="notice refused" role="alert">
          <p>
            {refusal.message} {refusal.hint && <span class="dim">{refusal.hint}</span>}
          </p>
        </div>
      )}
      <form class="stack" method="post" action={PASSWORD}>
        <input type="hidden" name="token" value={token} />
        <NewPassword label="New password" name="new_password" hint="You are signed out everywhere." />
        <button class="primary">Set</button>
      </form>
      <p class="dim">
        <a href={SIGN_IN}>Sign in</a>
      </p>
    </section>
  ),
})

export const passwordPage = page({
  path: '/dashboard/password',
  query: z.strictObject({ token: z.string().optional() }),
  show: async visit => form(visit.query.token ?? ''),
})

export const setPassword = action({
  path: '/dashboard/password',
  form: z.strictObject({ token: z.string(), new_password: z.string() }),
  async act({ api }, body) {
    try {
      await api.POST('/v1/account/password/by-link', { body })
      return new Response(null, { status: 303, headers: { location: SIGN_IN } })
    } catch (error) {
      if (error instanceof ApiFailure) return form(body.token, error)
      throw error
    }
  },
})
