// Leases on claimed items: one row for each claim, however many items it holds.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'
import { byProject } from '../../kernel/each-project.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { lockedIds } from '../../kernel/locked-ids.ts'
import { numbers } from '../../kernel/packed-columns.ts'

/** Extends leases; returns the ids of claims still held. */
export async function extendLeases(
  sql: Sql,
  claims: readonly { id: number; project_id: string }[],
  leaseMs: number,
): Promise<Set<number>> {
  const held = new Set<number>()
  for (const [project_id, own] of byProject(claims)) {
    const ids = lockedIds(
      sql,
      'claims',
      sql`project_id = ${project_id} and id = any(${own.map(({ id }) => id)}::bigint[])`,
    )
    const rows = await sql<{ id: number }[]>`
      update claims set lease_until = now() + make_interval(secs => ${leaseMs / 1000})
      where project_id = ${project_id} and id = any(${ids}) returning id`.timeout(LIMITS.heartbeat_ms / 1000)
    for (const { id } of rows) held.add(id)
  }
  return held
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
