// The command that lists the audit log.

import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { Schemas } from '../sdk/client.ts'
import { sayDid } from '../view/audit.ts'
import type { Given } from './arguments.ts'
import type { ExitCode } from './failure.ts'
import { minute } from './format.ts'
import { printList } from './listing.ts'
import { BY_ID, bodyPageOf } from './pages.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

const ENTRIES: Column<Schemas['AuditEntry']>[] = [
  { title: 'AT', value: row => minute(row.created_at) },
  { title: 'WHO', value: row => row.actor.name, least: 10 },
  { title: 'WHAT', value: row => sayDid(row.action), least: 16 },
  // What --action takes.
  { title: 'ACTION', value: row => row.action, least: 12, optional: 2 },
  { title: 'ON', value: row => row.target_id ?? '-' },
  { title: 'FIELDS', value: row => row.fields.join(','), least: 16, optional: 1 },
]

export function audit(session: Session, given: Given): Promise<ExitCode> {
  const filter = defined({ action: given.text('action'), project_id: given.text('project') })
  return printList<Schemas['AuditEntry']>(session, given, {
    event: 'change',
    empty: 'nothing was changed',
    page: LIMITS.audit_page.max,
    read: page =>
      bodyPageOf(
        session.api.GET('/v1/audit', { params: { query: { ...filter, ...page } } }),
        found => found.entries,
      ),
    ...BY_ID,
    text: (rows, screen) => table(ENTRIES, rows, screen),
  })
}
