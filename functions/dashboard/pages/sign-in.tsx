// Signing in and out.

import * as z from 'zod'
import { ApiFailure } from '../../../shared/sdk/client.ts'
import { Field } from '../parts/form.tsx'
import { ownPath, ROOT, SIGN_IN } from '../shell/addresses.ts'
import { endedCookie, sessionCookie } from '../shell/browser-session.ts'
import { action, page, type View, type Visit } from '../shell/page.ts'

const next = z.string().optional()
/** Why the page is shown: the session of a link, or of a form, had ended. */
const ended = z.enum(['link', 'form']).optional()
type Ended = z.output<typeof ended>

const WHY = {
  link: 'Your session has ended. Sign in, and you are where you were.',
  form: 'Your session has ended, so nothing was changed. Sign in to go on where you were. This tab keeps what you had entered, except passwords and other secrets, if scripts are allowed.',
}

/** Browsers send this header only to origins whose `Secure` cookies they keep; old browsers never send it. */
const keepsCookies = ({ request, ctx }: Here) =>
  request.headers.has('sec-fetch-site') || ctx.config.base_url.startsWith('https:')

type Here = Pick<Visit, 'request' | 'ctx'>

interface Asked {
  next?: string | undefined
  ended?: Ended
  email?: string
}

const form = (here: Here, { next: to, ended, email = '' }: Asked, refusal?: ApiFailure): View => ({
  title: 'Sign in',
  status: refusal?.status === 429 ? 429 : refusal ? 400 : 200,
  retry_after_s: refusal?.retry_after_s,
  body: (
    <section class="sign-in">
      <h1>Assay</h1>
      <p class="dim">Did it run, and did it work.</p>
      <Why ended={ended} refusal={refusal} />
      <form class="stack" method="post" action={SIGN_IN} data-sign-in>
        {to && <input type="hidden" name="next" value={to} />}
        {ended && <input type="hidden" name="ended" value={ended} />}
        <Field label="E-mail">
          <input
            name="email"
            type="email"
            autocomplete="username"
            value={email}
            required
            autofocus={email === ''}
          />
        </Field>
        <Field label="Password">
          <input
            name="password"
            type="password"
            autocomplete="current-password"
            required
            autofocus={email !== ''}
          />
        </Field>
        <button class="primary">Sign in</button>
      </form>
      {!keepsCookies(here) && (
        <p>
          <b>This browser keeps no sign-in from here:</b> open the dashboard by https, or on localhost.
        </p>
      )}
      <p class="dim">
        On one machine, e-mail and password stand in <code>local.json</code> in the data folder.
      </p>
    </section>
  ),
})

/** Why the page is shown: what was refused, else what had ended. */
const Why = ({ ended, refusal }: { ended: Ended; refusal: ApiFailure | undefined }) => (
  <>
    {ended && !refusal && (
      <div class="notice" role="status">
        <p>{WHY[ended]}</p>
      </div>
    )}
    {refusal && (
      <div class="notice refused" role="alert">
        <p>
          {refusal.message} {refusal.hint && <span class="dim">{refusal.hint}</span>}
        </p>
      </div>
    )}
  </>
)

export const signInPage = page({
  path: '/dashboard/sign-in',
  query: z.strictObject({ next, ended }),
  show: async visit => form(visit, visit.query),
})

export const signIn = action({
  path: '/dashboard/sign-in',
  form: z.strictObject({ email: z.string(), password: z.string(), next, ended }),
  async act({ api, ctx, request }, { email, password, next, ended }) {
    try {
      const { data } = await api.POST('/v1/sessions', { body: { email, password } })
      const cookie = await sessionCookie(ctx, data!.session_id, data!.refresh_expires_at)
      // A link from another site must not redirect the user away after signing in.
      const location = (next && ownPath(next)) || ROOT
      return new Response(null, { status: 303, headers: { location, 'set-cookie': cookie } })
    } catch (error) {
      if (error instanceof ApiFailure) return form({ request, ctx }, { next, ended, email }, error)
      throw error
    }
  },
})

export const signOut = action({
  path: '/dashboard/sign-out',
  async act({ api, ctx }) {
    await api.DELETE('/v1/sessions/current')
    const headers = { location: SIGN_IN, 'set-cookie': endedCookie(ctx) }
    return new Response(null, { status: 303, headers })
  },
})
