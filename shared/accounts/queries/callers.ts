// Whether whoever asked for work may still do so, as the work commits. Guarantee: in the statement that it is part of,
// or in the next one of a transaction, a revocation that was committed before counts. It takes no lock: callers that
// start runs all the time would keep their own revocation waiting.

import type { Fragment } from 'postgres'
import { isDistributed } from '../../cluster/queries/distributed.ts'
import type { Caller, Sql } from '../../context.ts'

/**
 * SQL that is true while the caller is live and more than a viewer; always without one, for work of the clock. In an
 * object, as to await a fragment is to send it.
 */
export async function mayMakeWork(sql: Sql, caller: Caller | undefined): Promise<{ may: Fragment }> {
  if (caller === undefined) return { may: sql`true` }
  // Citus joins no local table, as sessions are, in a statement that writes rows of a project.
  if (!(await isDistributed(sql))) return { may: isLive(sql, caller) }
  const [row] = await sql<{ is_live: boolean }[]>`select ${isLive(sql, caller)} as is_live`
  return { may: sql`${row!.is_live}::boolean` }
}

/** As the last statement of a transaction that makes work. @throws ApiError if the caller may not any more */
export async function confirmCaller(sql: Sql, caller: Caller | undefined): Promise<void> {
  if (caller === undefined) return
  const [row] = await sql<{ is_live: boolean }[]>`select ${isLive(sql, caller)} as is_live`
  if (!row!.is_live) await caller.refuse()
}

const isLive = (sql: Sql, { kind, id }: Caller): Fragment =>
  kind === 'key'
    ? sql`exists (
        select from api_keys k
        where k.id = ${id}::uuid and k.revoked_at is null and coalesce(k.expires_at > now(), true) and k.role <> 'viewer')`
    : sql`exists (
        select from sessions s join members m on m.id = s.member_id
        where s.id = ${id}::uuid and s.revoked_at is null and s.expires_at > now() and m.role <> 'viewer')`
