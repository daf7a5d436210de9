// Stores idempotency keys of submissions. Guarantee: within its window a key stands for one run, however many requests
// send it at once.

import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '../../context.ts'
import type { RunStatus } from '../../items/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'

export interface KeyedAnswer {
  fingerprint: string
  run_id: string
  total_items: number
  status: RunStatus
}

/** The run an idempotency key already started within its window. */
export async function findKeyedRun(sql: Sql, projectId: string, key: string, windowHours: number) {
  const [row] = await sql<KeyedAnswer[]>`
    select k.fingerprint, k.run_id, r.total_items, r.status
    from idempotency_keys k join runs r on r.project_id = k.project_id and r.id = k.run_id
    where k.project_id = ${projectId} and k.key = ${key}
      and k.created_at > now() - make_interval(hours => ${windowHours})`
  return row
}

/** The idempotency key that a run is started under. */
export interface IdempotencyKey {
  project_id: string
  key: string
  fingerprint: string
  run_id: string
}

/** Takes the key for a run; false if another submission took it first. Waits for a submission that is committing. */
export async function takeIdempotencyKey(sql: Sql, key: IdempotencyKey): Promise<boolean> {
  // Counted by the returned rows: a cluster's count includes rows that the conflict left unchanged.
  const taken = await sql`${takeKeyFor(sql, key, sql`(values (1)) one`)} returning run_id`
  return taken.length === 1
}

/** SQL that takes the key if `source` has a row; it writes no row if another run has the key within its window. */
export const takeKeyFor = (
  sql: Sql,
  { project_id, key, fingerprint, run_id }: IdempotencyKey,
  source: PendingQuery<Row[]>,
) => sql`
  insert into idempotency_keys as k (project_id, key, fingerprint, run_id)
  select ${project_id}::uuid, ${key}::text, ${fingerprint}::text, ${run_id}::uuid from ${source}
  on conflict (project_id, key) do update
    set fingerprint = excluded.fingerprint, run_id = excluded.run_id, created_at = excluded.created_at
    where excluded.created_at - k.created_at >= make_interval(hours => ${sql.unsafe(String(LIMITS.idempotency_window_hours))})`
