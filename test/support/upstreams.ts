// Rows of upstreams that are not open, and items that wait for them.

import type { Sql } from '../../shared/context.ts'
import type { UpstreamKind, UpstreamState } from '../../shared/upstreams/vocabulary.ts'

export interface Shut {
  project_id: string
  id: string
  host?: string
  label?: string | null
  kind?: UpstreamKind
  key?: string
  agent_id?: string | null
  state?: UpstreamState
  words?: string
  /** Seconds ago. */
  since_s?: number
  /** Seconds from now; null for no planned try. */
  next_s?: number | null
  pace?: number | null
}

/** Stores an upstream as a consumer that was refused does. */
export async function shut(sql: Sql, { since_s = 60, next_s = 3600, ...given }: Shut): Promise<void> {
  const row = {
    kind: 'credential',
    host: 'api.example.com',
    key: given.id,
    model: '',
    label: 'MODEL_KEY',
    state: 'out_of_credit',
    words: 'You exceeded your current quota',
    status: 429,
    probes: 2,
    used_at: new Date(),
    ...given,
  }
  await sql`insert into upstreams ${sql({ ...row, since: new Date(), next_at: new Date() } as never)}`
  await sql`
    update upstreams set since = now() - make_interval(secs => ${since_s}),
      next_at = now() + make_interval(secs => ${next_s}::float8)
    where project_id = ${given.project_id} and id = ${given.id}`
}

/** Lets the first items of a run wait for an upstream, and the run with them. */
export async function letWait(
  sql: Sql,
  { project_id, run_id }: { project_id: string; run_id: string },
  upstream_id: string,
  items: number,
): Promise<void> {
  await sql`
    update runs set waits_for = ${upstream_id}, waits_since = now(), started_at = now(), next_seq = ${items + 1}
    where project_id = ${project_id} and id = ${run_id}`
  await sql`
    insert into due_items (project_id, run_id, seq, due_at, upstream_id, stops)
    select ${project_id}, ${run_id}, n, 'infinity', ${upstream_id}, 1 from generate_series(1, ${items}) n`
}
