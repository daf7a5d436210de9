// The member's own account: name and role, sessions, and password.

import * as z from 'zod'
import { Field, NewPassword } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { When } from '../parts/text.tsx'
import { ROOT } from '../shell/addresses.ts'
import { action, page } from '../shell/page.ts'

const ACCOUNT = `${ROOT}/account`

export const accountPage = page({
  path: '/dashboard/account',
  async show({ api, now }) {
    const [{ data: account }, { data: sessions = [] }] = await Promise.all([
      api.GET('/v1/account'),
      api.GET('/v1/sessions'),
    ])
    return {
      title: 'Account',
      menu: 'account',
      body: (
        <>
          <h1>{account!.member.email}</h1>
          <p>
            {account!.member.role} of {account!.name}
            {account!.status === 'active' ? '' : `, which is ${account!.status}`}
          </p>
          <h2>Where you are signed in</h2>
          <List
            id="sessions"
            rows={sessions}
            columns={[
              { label: 'With', cell: one => one.user_agent || 'unknown' },
              { label: 'Since', cell: one => <When at={one.created_at} now={now} /> },
              { label: 'Until', cell: one => <When at={one.expires_at} now={now} /> },
              {
                label: '',
                numeric: true,
                cell: one =>
                  one.is_current ? (
                    <span class="dim">this one</span>
                  ) : (
                    <form method="post" action={`${ACCOUNT}/sessions/${one.id}/revoke`}>
                      <button>Sign out there</button>
                    </form>
                  ),
              },
            ]}
            empty={<p>Nowhere.</p>}
          />
          <h2>Password</h2>
          <p class="dim">Every other session of yours ends with the old one.</p>
          <form class="stack" method="post" action={`${ACCOUNT}/password`}>
            <input type="hidden" name="username" autocomplete="username" value={account!.member.email} />
            <Field label="Current password">
              <input name="current_password" type="password" required autocomplete="current-password" />
            </Field>
            <NewPassword label="New password" name="new_password" />
            <div>
              <button class="primary">Change</button>
            </div>
          </form>
        </>
      ),
    }
  },
})

export const changePassword = action({
  path: '/dashboard/account/password',
  form: z.strictObject({ username: z.string(), current_password: z.string(), new_password: z.string() }),
  async act({ api }, { username: _, ...body }) {
    await api.POST('/v1/account/password', { body })
    return { to: ACCOUNT, said: 'The password is changed.' }
  },
})

export const revokeSession = action({
  path: '/dashboard/account/sessions/{sessionId}/revoke',
  async act({ api, params }) {
    await api.DELETE('/v1/sessions/{sessionId}', { params: { path: params } })
    return { to: ACCOUNT, said: 'That session has ended.' }
  },
})
