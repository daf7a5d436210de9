// Logs changes: who, what, when. Guarantee: a change that is `atomic` and its entry are committed together or not
// at all; of other changes the entry follows, and only a crash in between can lose it.

import type { Context, Database } from '../context.ts'
import { insertAuditEntry } from '../store/audit.ts'
import { subjectOf } from './access-log.ts'
import type { Principal } from './auth.ts'

export interface Change {
  operation_id: string
  atomic?: true
  principal: Principal
  params: Record<string, string>
  /** What was sent: the fields of the body, or the parameters of a batch sent line by line. */
  body: unknown
  lines: unknown
  /** The project concerned, where neither path nor answer names it. */
  reply: { project_id?: string }
}

/** Makes the change, and the entry that says so. */
export async function recordChange<T>(
  ctx: Context,
  change: Change,
  make: (ctx: Context) => Promise<T>,
): Promise<T> {
  if (!change.atomic) {
    const value = await make(ctx)
    ctx.waitUntil(insertAuditEntry(ctx.db, entryOf(ctx, change, value)))
    return value
  }
  return ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    const value = await make({ ...ctx, db })
    await insertAuditEntry(db, entryOf(ctx, change, value))
    return value
  })
}

function entryOf(
  ctx: Context,
  { operation_id, principal, params, body, lines, reply }: Change,
  value: unknown,
) {
  return {
    id: ctx.newId(),
    account_id: principal.account_id,
    ...subjectOf({ principal, params, reply }, value),
    actor_kind: principal.kind === 'key' ? ('key' as const) : ('member' as const),
    actor_id: principal.kind === 'key' ? principal.key_id : principal.member_id,
    actor_name: principal.name,
    action: operation_id,
    fields: Object.keys((body ?? lines ?? {}) as object),
  }
}
