// Commands around runs: projects, keys, members and the log of changes. A project key sees its own project; what
// takes a member is asked as the one who is signed in, else with a session's token in ASSAY_API_KEY.

import { LIMITS } from '../domain/limits.ts'
import type { KeyRole } from '../domain/vocabulary.ts'
import type { Schemas } from '../sdk/client.ts'
import { answered, pageOf } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { money } from './format.ts'
import { tellList } from './listing.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

const PROJECTS: Column<Schemas['Project']>[] = [
  { title: 'NAME', value: row => row.name, least: 10 },
  { title: 'ID', value: row => row.id },
  { title: 'RUNNING', value: row => `${row.running}/${row.concurrency}`, align: 'right' },
  { title: 'SPENT', value: row => dollars(row.spent_cents), align: 'right' },
  {
    title: 'CREDIT',
    value: row => (row.credit_cents === null ? '-' : dollars(row.credit_cents)),
    align: 'right',
  },
  { title: 'BUDGETS', value: row => row.budgets.map(leftOf).join(', ') || '-', optional: 1 },
]
const leftOf = ({ period, left_cents, limit_cents }: Schemas['Budget']) =>
  `${period}: ${dollars(left_cents)} of ${dollars(limit_cents)} left`
const KEYS: Column<Schemas['ApiKey']>[] = [
  { title: 'PREFIX', value: row => row.prefix },
  { title: 'NAME', value: row => row.name, least: 10 },
  { title: 'ID', value: row => row.id },
  { title: 'CREATED', value: row => minute(row.created_at), optional: 1 },
  { title: 'ROLE', value: row => row.role },
  { title: 'EXPIRES', value: row => (row.expires_at === null ? 'never' : minute(row.expires_at)) },
  { title: 'LAST USED', value: row => (row.last_used_at === null ? 'never' : minute(row.last_used_at)) },
]
const MEMBERS: Column<Schemas['Member']>[] = [
  { title: 'E-MAIL', value: row => row.email, least: 10 },
  { title: 'ROLE', value: row => row.role },
  { title: 'ID', value: row => row.id },
  { title: 'CREATED', value: row => minute(row.created_at), optional: 1 },
]
const ENTRIES: Column<Schemas['AuditEntry']>[] = [
  { title: 'AT', value: row => minute(row.created_at) },
  { title: 'WHO', value: row => row.actor.name, least: 10 },
  { title: 'WHAT', value: row => row.action },
  { title: 'ON', value: row => row.target_id ?? '-' },
  { title: 'FIELDS', value: row => row.fields.join(','), least: 6, optional: 1 },
]

const dollars = (cents: number) => money(cents / 100)
const minute = (at: string) => at.slice(0, 16).replace('T', ' ')

export const projects = (session: Session, given: Given): Promise<ExitCode> =>
  tellList<Schemas['Project']>(session, given, {
    event: 'project',
    empty: 'no projects',
    page: 1,
    read: async () => ({ rows: await answered(session.api.GET('/v1/projects')), next: undefined }),
    inAnyOrder: true,
    keyOf: row => row.id,
    cameAt: row => row.created_at,
    text: (rows, screen) => table(PROJECTS, rows, screen),
  })

export async function keys(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const path = { projectId: given.text('project') ?? (await onlyProject(api)) }
  const name = given.text('create')
  const keyId = given.text('revoke')
  if (name === undefined && (given.text('role') ?? given.text('expires')) !== undefined)
    throw usageFailure('--role and --expires take --create NAME')
  if (name !== undefined && keyId !== undefined) throw usageFailure('--create and --revoke are two commands')
  if (name !== undefined) {
    const expires_at = expiryOf(given.text('expires'), session.now())
    const role = given.text('role') as KeyRole | undefined
    const body = { name, ...(role && { role }), ...(expires_at && { expires_at }) }
    const made = await answered(api.POST('/v1/projects/{projectId}/api-keys', { params: { path }, body }))
    output.emit('key_created', made, () => `${made.key}\nThis is the only time the key is shown.`)
    return EXIT.ok
  }
  if (keyId !== undefined) {
    const gone = await answered(
      api.DELETE('/v1/projects/{projectId}/api-keys/{keyId}', { params: { path: { ...path, keyId } } }),
    )
    output.emit('key_revoked', gone, () => `${gone.prefix}… (${gone.name}) is dead within five seconds`)
    return EXIT.ok
  }
  return tellList<Schemas['ApiKey']>(session, given, {
    event: 'key',
    empty: 'no keys',
    page: 1,
    read: async () => ({
      rows: await answered(api.GET('/v1/projects/{projectId}/api-keys', { params: { path } })),
      next: undefined,
    }),
    inAnyOrder: true,
    keyOf: row => row.id,
    cameAt: row => row.created_at,
    text: (rows, screen) => table(KEYS, rows, screen),
  })
}

export const members = (session: Session, given: Given): Promise<ExitCode> =>
  tellList<Schemas['Member']>(session, given, {
    event: 'member',
    empty: 'no members',
    page: LIMITS.members_page.max,
    read: (limit, cursor) =>
      pageOf(session.api.GET('/v1/members', { params: { query: { limit, ...(cursor && { cursor }) } } })),
    inAnyOrder: true,
    keyOf: row => row.id,
    cameAt: row => row.created_at,
    text: (rows, screen) => table(MEMBERS, rows, screen),
  })

export function audit(session: Session, given: Given): Promise<ExitCode> {
  const [action, project_id] = [given.text('action'), given.text('project')]
  const filter = { ...(action !== undefined && { action }), ...(project_id !== undefined && { project_id }) }
  return tellList<Schemas['AuditEntry']>(session, given, {
    event: 'change',
    empty: 'nothing was changed',
    page: LIMITS.audit_page.max,
    async read(limit, cursor) {
      const query = { ...filter, limit, ...(cursor && { cursor }) }
      const page = await answered(session.api.GET('/v1/audit', { params: { query } }))
      return { rows: page.entries, next: page.next_cursor ?? undefined }
    },
    keyOf: row => row.id,
    cameAt: row => row.created_at,
    text: (rows, screen) => table(ENTRIES, rows, screen),
  })
}

/** A time, or how long from now: 12h, 30d. @throws Failure `usage` */
function expiryOf(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined
  const [, amount, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? []
  const at =
    amount === undefined ? Date.parse(text) : now + Number(amount) * (unit === 'h' ? 3_600_000 : 86_400_000)
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw usageFailure(`--expires takes a time or how long from now, not "${text}"`, {
    hint: 'for example 12h, 30d or 2027-01-31T00:00:00Z',
  })
}

/** The project of a key, or of a member who has just one. */
export async function onlyProject(api: Session['api']): Promise<string> {
  const rows = await answered(api.GET('/v1/projects'))
  if (rows.length === 1) return rows[0]!.id
  const known = rows.map(row => `${row.name} (${row.id})`).join(', ')
  throw usageFailure('--project is missing', { hint: `there are: ${known}`, next: 'assay projects' })
}
