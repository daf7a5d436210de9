// Whether whoever asked for work may still do so, as the work commits. Guarantee: in the statement that it is part of,
// or in the next one of a transaction, a revocation that was committed before counts. It takes no lock: callers that
// start runs all the time would keep their own revocation waiting.

import type { Fragment } from 'postgres'
import { isDistributed } from '../../cluster/queries/distributed.ts'
import type { Caller, Context, Sql } from '../../context.ts'
import { LIVE_SESSION } from '../tables/accounts.ts'
import { isAtLeast, MEMBER_ROLES } from '../vocabulary.ts'

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

/**
 * Writes in a transaction whose last statement confirms the caller. It also serves writes without one: Citus takes all
 * statements outside of transactions for one and the same, so two that wait for a transaction, and are waited for, are a
 * deadlock to it.
 *
 * @throws ApiError if the caller may not any more
 */
export const writeFor = <T>(
  { sql, caller }: Pick<Context, 'sql' | 'caller'>,
  write: (sql: Sql) => Promise<T>,
): Promise<T> =>
  sql.begin(async tx => {
    const within = tx as unknown as Sql
    const written = await write(within)
    await confirmCaller(within, caller)
    return written
  }) as Promise<T>

const isLive = (sql: Sql, { kind, id }: Caller): Fragment =>
  kind === 'key'
    ? sql`exists (
        select from api_keys where api_keys.id = ${id}::uuid and api_keys.revoked_at is null
          and coalesce(api_keys.expires_at > now(), true) and api_keys.role::text = any(${WORKING}::text[]))`
    : sql`exists (
        select from sessions join members on members.id = sessions.member_id
        where sessions.id = ${id}::uuid and ${sql.unsafe(LIVE_SESSION)} and members.role::text = any(${WORKING}::text[]))`

const WORKING = MEMBER_ROLES.filter(role => isAtLeast(role, 'operator'))
