// Reads the state of PostgreSQL, and how much is left to remove. Guarantee: bounded, however much there is.

import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'

export interface DatabaseState {
  postgres: string
  /** Its clock, in seconds since 1970. */
  clock_s: number
  bytes: number
  /** Whether commits that it has acknowledged survive a crash. */
  durable: boolean
  /** Parts of runs that retention has marked and that still exist, counted up to LIMITS.metrics_counted. */
  purges_waiting: number
  /** The environment that was sealed last with the master key; null if there is none. */
  sealed: { project_id: string; id: string; bundle_hash: string | null; env_sealed: string } | null
}

export async function readDatabaseState(sql: Sql): Promise<DatabaseState> {
  const [row] = await sql<DatabaseState[]>`
    select current_setting('server_version') as postgres,
      extract(epoch from clock_timestamp())::float8 as clock_s,
      pg_database_size(current_database())::float8 as bytes,
      'off' not in (current_setting('fsync'), current_setting('full_page_writes'),
        current_setting('synchronous_commit')) as durable,
      (select count(*)::int from (select 1 from purges limit ${LIMITS.metrics_counted}) p) as purges_waiting,
      (select jsonb_build_object('project_id', d.project_id, 'id', d.id, 'bundle_hash', d.bundle_hash, 'env_sealed', d.env_sealed)
        from deployments d where d.env_sealed is not null order by d.id desc limit 1) as sealed`
  return row!
}
