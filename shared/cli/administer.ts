// Commands around runs: projects, keys, members and the log of changes. A project key sees its own project; what
// takes a member is asked with a session's token in ASSAY_API_KEY.

import type { Schemas } from '../sdk/client.ts'
import { answered } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
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
]
const KEYS: Column<Schemas['ApiKey']>[] = [
  { title: 'PREFIX', value: row => row.prefix },
  { title: 'NAME', value: row => row.name, least: 10 },
  { title: 'ID', value: row => row.id },
  { title: 'CREATED', value: row => minute(row.created_at), optional: 1 },
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
const DEFAULT_ENTRIES = 50
const ENTRIES_PAGE = 200

const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`
const minute = (at: string) => at.slice(0, 16).replace('T', ' ')

export async function projects({ api, output }: Session): Promise<ExitCode> {
  const rows = await answered(api.GET('/v1/projects'))
  output.rows('project', rows, screen => table(PROJECTS, rows, screen))
  return EXIT.ok
}

export async function keys({ api, output }: Session, given: Given): Promise<ExitCode> {
  const path = { projectId: given.text('project') ?? (await onlyProject(api)) }
  const name = given.text('create')
  const keyId = given.text('revoke')
  if (name !== undefined && keyId !== undefined) throw usageFailure('--create and --revoke are two commands')
  if (name !== undefined) {
    const made = await answered(
      api.POST('/v1/projects/{projectId}/api-keys', { params: { path }, body: { name } }),
    )
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
  const rows = await answered(api.GET('/v1/projects/{projectId}/api-keys', { params: { path } }))
  output.rows('key', rows, screen => table(KEYS, rows, screen))
  return EXIT.ok
}

export async function members({ api, output }: Session): Promise<ExitCode> {
  const rows = await answered(api.GET('/v1/members'))
  output.rows('member', rows, screen => table(MEMBERS, rows, screen))
  return EXIT.ok
}

export async function audit({ api, output }: Session, given: Given): Promise<ExitCode> {
  const wanted = given.whole('limit') ?? DEFAULT_ENTRIES
  const [action, project_id] = [given.text('action'), given.text('project')]
  const filter = { ...(action !== undefined && { action }), ...(project_id !== undefined && { project_id }) }
  const rows: Schemas['AuditEntry'][] = []
  let cursor: string | null = null
  do {
    const limit = Math.min(wanted - rows.length, ENTRIES_PAGE)
    const query = { ...filter, limit, ...(cursor !== null && { cursor }) }
    const page: { entries: Schemas['AuditEntry'][]; next_cursor: string | null } = await answered(
      api.GET('/v1/audit', { params: { query } }),
    )
    rows.push(...page.entries)
    cursor = page.next_cursor
  } while (cursor !== null && rows.length < wanted)
  output.rows('change', rows, screen => table(ENTRIES, rows, screen))
  return EXIT.ok
}

/** The project of a key, or of a member who has just one. */
export async function onlyProject(api: Session['api']): Promise<string> {
  const rows = await answered(api.GET('/v1/projects'))
  if (rows.length === 1) return rows[0]!.id
  const known = rows.map(row => `${row.name} (${row.id})`).join(', ')
  throw usageFailure('--project is missing', { hint: `there are: ${known}`, next: 'assay projects' })
}
