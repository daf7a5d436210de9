// The log of changes. Entries are only ever added; they go with their account.

import { and, desc, eq, lt } from 'drizzle-orm'
import type { Database } from '../context.ts'
import { auditLog } from '../schema/tables.ts'
import type { AuditRow } from '../schema/wire-members.ts'

export async function insertAuditEntry(db: Database, entry: typeof auditLog.$inferInsert): Promise<void> {
  await db.insert(auditLog).values(entry)
}

export interface AuditFilter {
  account_id: string
  project_id: string | null
  action?: string | undefined
  actor_id?: string | undefined
  before_id?: string | undefined
  limit: number
}

/** Newest first: ids hold the time. */
export function listAuditEntries(db: Database, filter: AuditFilter): Promise<AuditRow[]> {
  const { account_id, project_id, action, actor_id, before_id } = filter
  return db
    .select()
    .from(auditLog)
    .where(
      and(
        eq(auditLog.account_id, account_id),
        project_id === null ? undefined : eq(auditLog.project_id, project_id),
        action === undefined ? undefined : eq(auditLog.action, action),
        actor_id === undefined ? undefined : eq(auditLog.actor_id, actor_id),
        before_id === undefined ? undefined : lt(auditLog.id, before_id),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(filter.limit)
}
