// Leases on claimed items: one row for each claim, however many items it holds.

import type { Fragment } from 'postgres'
import { askReachable, canBeAsked, isDistributed } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { lockedIds } from '../../kernel/locked-ids.ts'
import { numbers } from '../../kernel/packed-columns.ts'

/** Extends leases; returns the ids of claims still held, and of claims that cannot be checked: their node is lost. */
export async function extendLeases(
  sql: Sql,
  claims: readonly { id: number; project_id: string }[],
  leaseMs: number,
): Promise<Set<number>> {
  const ids = sql`${claims.map(({ id }) => id)}::bigint[]`
  // A cluster cannot lock rows of several projects before it updates them: there a deadlock is left to the next heartbeat.
  const held = (await isDistributed(sql)) ? ids : lockedIds(sql, 'claims', sql`id = any(${ids})`)
  const rows = await askReachable(sql, of =>
    sql<{ id: number }[]>`
      update claims set lease_until = now() + make_interval(secs => ${leaseMs / 1000})
      where id = any(${held}) ${of('claims')} returning id`.timeout(LIMITS.heartbeat_ms / 1000),
  )
  const untold = claims.filter(({ project_id }) => !canBeAsked(project_id))
  return new Set([...rows, ...untold].map(({ id }) => id))
}

/** Ends claims that hold no items any more. */
export async function closeClaims(sql: Sql, projectId: string, claimIds: readonly number[]): Promise<void> {
  await deleteClaims(sql, projectId, claimIds)
}

/** Deletes claims of a project. Most flushes end one claim or none, which needs no order. */
export function deleteClaims(
  sql: Sql,
  projectId: string,
  claimIds: readonly number[],
  more: Fragment = sql``,
) {
  const ids = sql`${numbers(claimIds)}::text::bigint[]`
  const ended =
    claimIds.length < 2
      ? ids
      : lockedIds(sql, 'claims', sql`project_id = ${projectId} and id = any(${ids})`, 'update')
  return sql`delete from claims where project_id = ${projectId} and id = any(${ended}) ${more}`
}
