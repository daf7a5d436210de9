// Leases on claimed items: one row for each claim, however many items it holds.

import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'

/** Prolongs leases; returns the ids of those still held. */
export async function extendLeases(
  sql: Sql,
  claimIds: readonly number[],
  leaseMs: number,
): Promise<Set<number>> {
  const rows = await sql<{ id: number }[]>`
    update claims set lease_until = now() + make_interval(secs => ${leaseMs / 1000})
    where id = any(${[...claimIds]}::bigint[]) returning id`.timeout(LIMITS.heartbeat_ms / 1000)
  return new Set(rows.map(row => row.id))
}

/** Ends claims that hold nothing any more. */
export async function closeClaims(sql: Sql, projectId: string, claimIds: readonly number[]): Promise<void> {
  await sql`delete from claims where project_id = ${projectId} and id = any(${[...claimIds]}::bigint[])`
}
