// Leases on claimed items: one row for each claim, however many items it holds.

import { askReachable, canBeAsked } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'

/** Extends leases; returns the ids of claims still held, and of claims that cannot be checked: their node is lost. */
export async function extendLeases(
  sql: Sql,
  claims: readonly { id: number; project_id: string }[],
  leaseMs: number,
): Promise<Set<number>> {
  const ids = claims.map(({ id }) => id)
  const rows = await askReachable(sql, of =>
    sql<{ id: number }[]>`
      update claims set lease_until = now() + make_interval(secs => ${leaseMs / 1000})
      where id = any(${ids}::bigint[]) ${of('claims')} returning id`.timeout(LIMITS.heartbeat_ms / 1000),
  )
  const untold = claims.filter(({ project_id }) => !canBeAsked(project_id))
  return new Set([...rows, ...untold].map(({ id }) => id))
}

/** Ends claims that hold no items any more. */
export async function closeClaims(sql: Sql, projectId: string, claimIds: readonly number[]): Promise<void> {
  await sql`delete from claims where project_id = ${projectId} and id = any(${[...claimIds]}::bigint[])`
}
