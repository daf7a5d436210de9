// Reads the facts about a waiting item, without locks: they may be out of date as soon as they are read.

import type { Sql } from '../../context.ts'
import type { ItemKey } from '../../kernel/ids.ts'
import { PATIENCE_LEFT_MS, SHUT_UPSTREAM } from '../../upstreams/queries/shown-upstreams.ts'
import type { WhyFacts } from '../rules/why.ts'

export type WaitingItem = Omit<WhyFacts, 'admission' | 'deployment_kind' | 'paced'> & { due_at: Date | null }

export async function findWaiting(
  sql: Sql,
  { project_id, run_id, seq }: ItemKey,
): Promise<WaitingItem | undefined> {
  const [row] = await sql<WaitingItem[]>`
    select i.status, i.outcome, i.outcome_reason, i.degraded_reason as held_reason, i.step_count,
      case when i.status = 'running' then (
        select (extract(epoch from lease_until - now()) * 1000)::float8 from claims
        where project_id = i.project_id and run_id = i.run_id and i.seq = any(seqs) order by id desc limit 1) end as lease_left_ms,
      i.status = 'running' and exists (
        select 1 from claims where project_id = i.project_id and run_id = i.run_id and handed_from is not null and i.seq = any(seqs)) as answers_later,
      case when t.disposition is distinct from 'resumed' then t.lane end as lane,
      (extract(epoch from now() - i.started_at) * 1000)::float8 as started_ms_ago, r.status as run_status,
      nullif(d.due_at, 'infinity') as due_at, greatest(0, extract(epoch from nullif(d.due_at, 'infinity') - now()) * 1000)::float8 as due_in_ms,
      case when d.due_at = 'infinity' or d.seq is null and r.waits_for is not null then jsonb_build_object(
        'upstream', ${sql.unsafe(SHUT_UPSTREAM)}, 'patience_ms', ${sql.unsafe(PATIENCE_LEFT_MS)}) end as upstream, r.unavailable,
      (select jsonb_build_object('code', code, 'message', message) from attempts
        where project_id = i.project_id and run_id = i.run_id and seq = i.seq order by attempt desc limit 1) as last_attempt,
      greatest(0, i.seq - r.next_seq) as ahead,
      case when i.partition_key is not null and p.settings ? 'partition_concurrency' then jsonb_build_object(
        'key', i.partition_key, 'cap', (p.settings->>'partition_concurrency')::int,
        'running', (select count(*) from claims c, unnest(c.seqs) as s(seq), items o
          where c.project_id = r.project_id and o.project_id = r.project_id and o.run_id = c.run_id and o.seq = s.seq and o.status = 'running'
            and o.partition_key = i.partition_key)) end as partition
    from items i join runs r on r.project_id = i.project_id and r.id = i.run_id join projects p on p.id = r.project_id
      left join due_items d on d.project_id = i.project_id and d.run_id = i.run_id and d.seq = i.seq
      left join upstreams u on u.project_id = i.project_id and u.id = case when d.seq is null then r.waits_for else d.upstream_id end
      left join deployments v on v.project_id = i.project_id and v.id = r.deployment_id
      left join triage t on t.project_id = i.project_id and t.run_id = i.run_id and t.seq = i.seq
    where i.project_id = ${project_id} and i.run_id = ${run_id} and i.seq = ${seq}`
  return row
}
