// The command that lists the audit log.

import { LIMITS } from '../kernel/limits.ts'
import type { Schemas } from '../sdk/client.ts'
import { answered } from './api.ts'
import type { Given } from './arguments.ts'
import type { ExitCode } from './failure.ts'
import { tellList } from './listing.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

const minute = (at: string) => at.slice(0, 16).replace('T', ' ')

const ENTRIES: Column<Schemas['AuditEntry']>[] = [
  { title: 'AT', value: row => minute(row.created_at) },
  { title: 'WHO', value: row => row.actor.name, least: 10 },
  { title: 'WHAT', value: row => row.action, least: 16 },
  { title: 'ON', value: row => row.target_id ?? '-' },
  { title: 'FIELDS', value: row => row.fields.join(','), least: 16, optional: 1 },
]

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
