// SQL that names items: many by their keys, and one by its record id.

import type { Sql } from '../../context.ts'
import type { ItemKey, RunKey } from '../../kernel/ids.ts'

/** The one project of items that are acted on at once; null if there are no items. */
export const projectOf = (keys: readonly RunKey[]) => keys[0]?.project_id ?? null

/** The items as rows `k`, numbered from 1 in their order. */
export const rowsOfKeys = (sql: Sql, keys: readonly ItemKey[]) =>
  sql`unnest(${keys.map(k => k.run_id)}::uuid[], ${keys.map(k => k.seq)}::int[]) with ordinality as k(run_id, seq, n)`

/** An item's (run, seq) as its record id, as in shared/kernel/ids.ts. */
export const recordId = (sql: Sql, of: string) =>
  sql.unsafe(`(left(${of}.run_id::text, 28) || lpad(to_hex(${of}.seq), 8, '0'))::uuid`)
