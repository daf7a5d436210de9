// The claims that the items of a flush are held under. Guarantee: they are locked before their items, as the reaper locks
// them: otherwise a late result and the reaper would each wait for a lock of the other.

import type { Sql } from '../../context.ts'
import { numbers } from '../../kernel/packed-columns.ts'

export interface FlushClaims {
  /** Claims the items are held under. */
  held: readonly number[]
  /** Those of them whose last items are in this flush. */
  closed: readonly number[]
  /** Other flushes may write the same items at the same time. */
  shared?: boolean
}

/**
 * Locks the claims, as `held`. The update of items must have the condition `LOCKED`. It locks items in the order of its
 * plan, so flushes of the same items queue here, by a lock for which no heartbeat of their agent waits.
 */
export const lockClaims = (sql: Sql, project_id: string, { held, shared = false }: FlushClaims) => sql`
  held as materialized (
    select id ${shared ? sql`, pg_advisory_xact_lock(hashtextextended('assay answers ' || id, 0))` : sql``}
    from claims where project_id = ${project_id} and id = any(${numbers(held)}::text::bigint[])
    order by id for key share
  )`
/** Always true: reading `held` has PostgreSQL lock the claims before the items. If a claim is gone, the guard of each item decides. */
export const LOCKED = '(select count(*) from held) >= 0'
