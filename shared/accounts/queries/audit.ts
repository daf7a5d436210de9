// The log of changes. Entries are only added; they are removed with their account.

import { and, desc, eq, lt } from 'drizzle-orm'
import type { Database, Sql } from '../../context.ts'
import { auditLog } from '../tables/accounts.ts'
import type { AuditRow } from '../wire/members.ts'

/** The actor's id when the actor belongs to no account: the operator, or a stranger. */
export const NOBODY_ID = '00000000-0000-0000-0000-000000000000'

export async function insertAuditEntry(db: Database, entry: typeof auditLog.$inferInsert): Promise<void> {
  await db.insert(auditLog).values(entry)
}

/**
 * Adds the entry of a change that is committed already. Its own commit does not wait for the disk, or the commit of a
 * run's first claim, made at the same moment, would wait for both.
 */
export async function noteAuditEntry(sql: Sql, entry: typeof auditLog.$inferInsert): Promise<void> {
  await sql`
    with unawaited as materialized (select set_config('synchronous_commit', 'off', true))
    insert into audit_log (id, account_id, project_id, actor_kind, actor_id, actor_name, action, target_id, fields)
    select ${entry.id}::uuid, ${entry.account_id}::uuid, ${entry.project_id ?? null}::uuid, ${entry.actor_kind},
      ${entry.actor_id}::uuid, ${entry.actor_name}, ${entry.action}, ${entry.target_id ?? null}::uuid,
      ${entry.fields ?? []}::text[]
    from unawaited`
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
