// Who can sign in to the account, and what each may do.

import * as z from 'zod'
import { MEMBER_ROLES } from '../../../shared/accounts/vocabulary.ts'
import { defined } from '../../../shared/kernel/defined.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { Field, NewPassword, RoleRequired, Sure } from '../parts/form.tsx'
import { List, nextOf, Pager } from '../parts/list.tsx'
import { REVOKED_TOO, RevokeToo, takenBack } from '../parts/made.tsx'
import { Code, When } from '../parts/text.tsx'
import { ROOT } from '../shell/addresses.ts'
import { action, type Entered, page, type View, type Visit } from '../shell/page.ts'

const MEMBERS = `${ROOT}/members`
const AROUND = { to: MEMBERS, of: 'member' as const, menu: 'members' }

const RoleSelect = ({ of }: { of?: string }) => (
  <select name="role" aria-label="Role">
    {MEMBER_ROLES.map(role => (
      <option value={role} selected={role === of}>
        {role}
      </option>
    ))}
  </select>
)

const MembersQuery = z.strictObject({ cursor: z.string().optional() })

export const membersPage = page({
  path: '/dashboard/members',
  query: MembersQuery,
  show: visit => membersView(visit, visit.query),
})

/** The members page; a refused form for a new member keeps what was entered, except the password. */
async function membersView(
  { api, member, request, ctx }: Visit,
  query: z.output<typeof MembersQuery> = {},
  entered: Entered = {},
): Promise<View> {
  const { data: members = [], response } = await api.GET('/v1/members', {
    params: { query: defined(query) },
  })
  const isOwner = member.role === 'owner'
  return {
    title: 'Members',
    menu: 'members',
    cli: 'assay members',
    body: (
      <>
        <h1>Members</h1>
        <p class="dim">
          A viewer reads. An operator also changes agents, keys and runs. An owner also changes projects and
          members.
        </p>
        {!isOwner && <RoleRequired least="owner" />}
        <MemberList members={members} self={member.member_id} isOwner={isOwner} now={ctx.now()} />
        <Pager request={request} next={nextOf(response)} />
        {isOwner && <NewMember entered={entered} />}
      </>
    ),
  }
}

const MemberList = ({
  members,
  self,
  isOwner,
  now,
}: {
  members: readonly Schemas['Member'][]
  self: string
  isOwner: boolean
  now: number
}) => (
  <List
    id="members"
    rows={members}
    columns={[
      {
        label: 'E-mail',
        cell: one => (one.id === self ? <b>{one.email} (you)</b> : one.email),
      },
      {
        label: 'Role',
        cell: one =>
          isOwner ? (
            <form class="actions" method="post" action={`${MEMBERS}/${one.id}/role`}>
              <RoleSelect of={one.role} />
              <button>Set</button>
            </form>
          ) : (
            one.role
          ),
      },
      { label: 'Since', cell: one => <When at={one.created_at} now={now} /> },
      {
        label: '',
        numeric: true,
        cell: one => isOwner && <MemberActions of={one} self={self} />,
      },
    ]}
    empty={<p>Nobody.</p>}
  />
)

const MemberActions = ({ of, self }: { of: Schemas['Member']; self: string }) => (
  <>
    {of.id !== self && (
      <form class="actions" method="post" action={`${MEMBERS}/${of.id}/password-link`}>
        <button>Link for a new password</button>
      </form>
    )}
    <Sure
      label="Remove"
      consequence={`${of.email} is signed out everywhere within five seconds. What they made is listed then.`}
      action={`${MEMBERS}/${of.id}/remove`}
    >
      <RevokeToo of="member" />
    </Sure>
  </>
)

const NewMember = ({ entered }: { entered: Entered }) => (
  <>
    <h2>New member</h2>
    <form class="stack" method="post" action={MEMBERS}>
      <Field label="E-mail">
        <input name="email" type="email" required autocomplete="off" value={entered.email ?? ''} />
      </Field>
      <Field label="Role">
        <RoleSelect of={entered.role ?? 'operator'} />
      </Field>
      <NewPassword
        label="First password"
        name="password"
        hint="Assay sends no mail: give it to them, to be changed at once."
      />
      <div>
        <button class="primary">Add</button>
      </div>
    </form>
  </>
)

const role = z.enum(MEMBER_ROLES)

export const createMember = action({
  path: '/dashboard/members',
  form: z.strictObject({ email: z.string(), role, password: z.string() }),
  again: (visit, entered) => membersView(visit, {}, entered),
  async act({ api }, body) {
    await api.POST('/v1/members', { body })
    return { to: MEMBERS, said: `${body.email} can sign in now.` }
  },
})

export const setRole = action({
  path: '/dashboard/members/{memberId}/role',
  form: z.strictObject({ role }),
  async act({ api, params }, body) {
    const { data } = await api.PATCH('/v1/members/{memberId}', { params: { path: params }, body })
    return takenBack(`${data!.email} is ${data!.role} now.`, data!, AROUND)
  },
})

/** Shown in the answer to the form and nowhere else: the link is not kept. */
export const linkPassword = action({
  path: '/dashboard/members/{memberId}/password-link',
  async act({ api, params }): Promise<View> {
    const { data } = await api.POST('/v1/members/{memberId}/password-link', { params: { path: params } })
    return {
      title: 'Link for a new password',
      menu: 'members',
      body: (
        <>
          <h1>Link for a new password</h1>
          <p>
            Whoever opens it sets the password of this member, once, within {LIMITS.password_link_hours}{' '}
            hours. Assay sends no mail: give it to them in private. It is not shown again.
          </p>
          <Code>{data!.url}</Code>
          <p>
            <a href={MEMBERS}>Members</a>
          </p>
        </>
      ),
    }
  },
})

export const removeMember = action({
  path: '/dashboard/members/{memberId}/remove',
  form: z.strictObject(REVOKED_TOO),
  async act({ api, params }, query) {
    const { data } = await api.DELETE('/v1/members/{memberId}', {
      params: { path: params, query: defined(query) },
    })
    return takenBack(`${data!.email} was removed.`, data!, AROUND)
  },
})
