// Commands that manage who can sign in to the account. Guarantee: passwords and links are made here or by the server and
// shown once, never given by the user.

import type { MemberRole } from '../accounts/vocabulary.ts'
import { LIMITS } from '../kernel/limits.ts'
import { randomWord } from '../kernel/secrets.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { type ExitCode, usageFailure } from './failure.ts'
import { clean, minute } from './format.ts'
import { printList } from './listing.ts'
import { linesOfMade, revokingOf } from './made.ts'
import { BY_ID, everyRow, type PageQuery, pageOf } from './pages.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Member = Schemas['Member']

const MEMBERS: Column<Member>[] = [
  { title: 'E-MAIL', value: row => row.email, least: 10 },
  { title: 'ROLE', value: row => row.role },
  { title: 'ID', value: row => row.id },
  { title: 'CREATED', value: row => minute(row.created_at), optional: 1 },
]
const PASSWORD_BYTES = 18

const newPassword = () =>
  randomWord(bytes => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>), PASSWORD_BYTES)

const readPage =
  ({ api }: Session) =>
  (page: PageQuery) =>
    pageOf(api.GET('/v1/members', { params: { query: page } }))

export const members = (session: Session, given: Given): Promise<ExitCode> =>
  printList<Member>(session, given, {
    event: 'member',
    empty: 'no members',
    page: LIMITS.members_page.max,
    read: readPage(session),
    inAnyOrder: true,
    ...BY_ID,
    text: (rows, screen) => table(MEMBERS, rows, screen),
  })

export async function addMember({ api, output }: Session, given: Given): Promise<void> {
  const [email, password] = [given.arg(0), newPassword()]
  const role = (given.text('role') ?? 'operator') as MemberRole
  const member = await answered(api.POST('/v1/members', { body: { email, role, password } }))
  output.emit('member_added', { ...member, password }, ({ program }) =>
    [
      `${clean(member.email)} (${member.role})`,
      `password  ${password}`,
      `This is the only time it is shown. To sign in: ${program} login --email ${clean(member.email)}`,
    ].join('\n'),
  )
}

export async function changeRole(session: Session, given: Given): Promise<void> {
  const path = { memberId: await memberIdOf(session, given.arg(0)) }
  const role = given.arg(1) as MemberRole
  const member = await answered(
    session.api.PATCH('/v1/members/{memberId}', {
      params: { path, query: revokingOf(given) },
      body: { role },
    }),
  )
  session.output.emit('member_changed', member, () =>
    [`${clean(member.email)} is ${member.role} within five seconds`, ...linesOfMade(member, 'member')].join(
      '\n',
    ),
  )
}

export async function linkPassword(session: Session, given: Given): Promise<void> {
  const member_id = await memberIdOf(session, given.arg(0))
  const params = { path: { memberId: member_id } }
  const link = await answered(session.api.POST('/v1/members/{memberId}/password-link', { params }))
  session.output.emit('password_link', { member_id, ...link }, () =>
    [
      link.url,
      `Whoever opens it sets their password, once, until ${minute(link.expires_at)}. It is not shown again: give it to them in private.`,
    ].join('\n'),
  )
}

export async function removeMember(session: Session, given: Given): Promise<void> {
  const path = { memberId: await memberIdOf(session, given.arg(0)) }
  const query = revokingOf(given)
  const member = await answered(session.api.DELETE('/v1/members/{memberId}', { params: { path, query } }))
  session.output.emit('member_removed', member, () =>
    [`${clean(member.email)} is out within five seconds`, ...linesOfMade(member, 'member')].join('\n'),
  )
}

const PAGES_LOOKED_AT = LIMITS.members_per_account / LIMITS.members_page.max

/** Finds a member by id or e-mail. @throws Failure `usage` if there is none */
async function memberIdOf(session: Session, word: string): Promise<string> {
  for await (const row of everyRow(readPage(session), LIMITS.members_page.max, PAGES_LOOKED_AT))
    if (row.id === word || row.email === word.toLowerCase()) return row.id
  throw usageFailure(`there is no member "${word}"`, { next: 'assay members' })
}
