// Logs changes: who, what, when. Guarantee: an `atomic` change and its entry are committed together or not at all, and
// are tried again if PostgreSQL ends them in a deadlock; for other changes the entry follows, and only a crash in
// between can lose it. A logged read is answered after its entry is written.

import { insertAuditEntry, NOBODY_ID, noteAuditEntry } from '../accounts/queries/audit.ts'
import type { Context, Database } from '../context.ts'
import { LIMITS } from '../kernel/limits.ts'
import { isDeadlock } from '../kernel/unreachable.ts'
import { isFirstWithin, letNextIn } from '../redis/throttle.ts'
import { subjectOf } from './access-log.ts'
import { callerOf, type OperatorPrincipal, type Principal } from './principal.ts'

export interface Change {
  operation_id: string
  atomic?: true | undefined
  /** It writes no entry. */
  unlogged?: true | undefined
  principal: Principal | OperatorPrincipal
  params: Record<string, string>
  /** What was sent: the fields of the body, or the parameters of a batch sent line by line. */
  body: unknown
  lines: unknown
  /** The project concerned, where neither path nor answer names it; and what changed, where that is not just the fields. */
  reply: { project_id?: string; changes?: string[] }
}

/** Makes the change and writes its audit entry; an `atomic` change as the caller that `admit` finds in its transaction. */
export async function recordChange<T>(
  ctx: Context,
  change: Change,
  make: (ctx: Context) => Promise<T>,
  admit?: (ctx: Context) => Promise<void>,
): Promise<T> {
  const isNoted = !change.unlogged && !isDryRun(change)
  if (!change.atomic) {
    const value = await make(ctx)
    if (isNoted) ctx.waitUntil(noteAuditEntry(ctx.sql, entryOf(ctx, change, value)))
    return value
  }
  const once = () =>
    ctx.db.transaction(async tx => {
      const within = { ...ctx, db: tx as unknown as Database }
      await admit?.(within)
      const value = await make(within)
      if (isNoted) await insertAuditEntry(within.db, entryOf(ctx, change, value))
      return value
    })
  for (let tries = LIMITS.change_tries; tries > 1; tries--) {
    try {
      return await once()
    } catch (error) {
      if (!isDeadlock(error)) throw error
    }
  }
  return once()
}

/**
 * Writes the entry of a read before its answer is sent, so that nothing is shown without an entry. A read that the same
 * caller repeats within a minute adds none.
 */
export async function recordRead(ctx: Context, read: Change, value: unknown): Promise<void> {
  const { operation_id, principal, params } = read
  const caller = principal.kind === 'operator' ? principal.kind : callerOf(principal)
  const name = ['read', operation_id, caller, ...Object.values(params)].join(':')
  if (!(await isFirstWithin(ctx, name, LIMITS.read_noted_ms))) return
  try {
    await noteAuditEntry(ctx.sql, entryOf(ctx, read, value))
  } catch (error) {
    await letNextIn(ctx, name) // otherwise the same request, repeated, would be answered without an entry
    throw error
  }
}

/** A dry run changes nothing, so there is nothing to record of it; its plan is of one moment, like the change's. */
const isDryRun = ({ body }: Change): boolean =>
  typeof body === 'object' && body !== null && 'dry_run' in body && body.dry_run === true

function entryOf(
  ctx: Context,
  { operation_id, principal, params, body, lines, reply }: Change,
  value: unknown,
) {
  const subject = subjectOf({ principal, params, reply }, value)
  return {
    id: ctx.newId(),
    // The operator changes accounts only.
    account_id: principal.kind === 'operator' ? subject.target_id! : principal.account_id,
    ...subject,
    ...actorOf(principal),
    action: operation_id,
    fields: reply.changes ?? Object.keys((body ?? lines ?? {}) as object),
  }
}

function actorOf(principal: Principal | OperatorPrincipal) {
  if (principal.kind === 'operator')
    return { actor_kind: principal.kind, actor_id: NOBODY_ID, actor_name: 'operator' }
  return principal.kind === 'key'
    ? { actor_kind: principal.kind, actor_id: principal.key_id, actor_name: principal.name }
    : { actor_kind: 'member' as const, actor_id: principal.member_id, actor_name: principal.name }
}
