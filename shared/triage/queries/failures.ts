// Reads the failures of a run, by what went wrong and for whom. A read covers only the first failures of a large batch,
// so its cost is bounded. A batch interleaves its partitions, so its head resembles the rest.

import type { Sql } from '../../context.ts'
import type { RunRow } from '../../items/wire/runs.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { RunFailures } from '../wire/failures.ts'
import { messageHead } from '../wire/triage.ts'

type FailedRun = Pick<RunRow, 'project_id' | 'id' | 'unread_calls' | 'unpriced_items'>

const CALLS = {
  unread: { items: 'unread_calls > 0', calls: 's.unread is not null', by: 's.unread as found' },
  unpriced: { items: 'unpriced', calls: 's.unpriced and s.unread is null', by: 's.model' },
} as const

/** Groups such calls of the first items that have any, by what is wrong with them. A run without any is not scanned. */
function callsBy(sql: Sql, { project_id, run_id }: RunKey, kind: keyof typeof CALLS, hasAny: boolean) {
  const { items, calls, by } = CALLS[kind]
  return sql`
    select ${sql.unsafe(by)}, count(*)::int as calls,
      (left(${run_id}, 28) || lpad(to_hex(min(s.seq)), 8, '0')) as record_id
    from (
      select seq from items
      where ${hasAny} and project_id = ${project_id} and run_id = ${run_id}
        and seq <= ${LIMITS.failures_looked_through} and ${sql.unsafe(items)}
      order by seq limit ${LIMITS.uncounted_items}) i
    cross join lateral (
      select * from steps where project_id = ${project_id} and run_id = ${run_id} and seq = i.seq and kind = 'llm_call' offset 0) s
    where ${sql.unsafe(calls)}
    group by 1 order by 2 desc, 1 limit ${LIMITS.failure_groups}`
}

export async function readRunFailures(
  sql: Sql,
  { project_id, id: run_id, unread_calls, unpriced_items }: FailedRun,
): Promise<RunFailures> {
  const run = { project_id, run_id }
  const groups = LIMITS.failure_groups
  const [row] = await sql<RunFailures[]>`
    with looked as materialized (
      select seq, lane, disposition, reason, error_code, cluster_key, partition_key, prompt
      from triage where project_id = ${project_id} and run_id = ${run_id} and lane <> 'review'
      order by seq limit ${LIMITS.failures_looked_through}
    ), reasons as (
      select lane as kind, reason, error_code, count(*)::int as count,
        count(*) filter (where disposition is null)::int as waiting, min(seq) as seq
      from looked group by 1, 2, 3
    ), clusters as (
      select cluster_key, min(error_code) as error_code, min(prompt) as sample_prompt, count(*)::int as count,
        count(*) filter (where disposition is null)::int as waiting
      from looked where cluster_key is not null
      group by 1 having count(*) > 1
    ), partitions as (
      select partition_key, count(*) filter (where error_code is not null)::int as failed,
        count(*) filter (where error_code is null and lane = 'dlq')::int as degraded,
        count(*) filter (where lane = 'quarantine')::int as held,
        count(*) filter (where disposition is null)::int as waiting
      from looked where partition_key is not null group by 1
    ), unread as (${callsBy(sql, run, 'unread', unread_calls > 0)}
    ), unpriced as (${callsBy(sql, run, 'unpriced', unpriced_items > 0)}
    )
    select (select count(*)::int from looked) as looked_at,
      (select count(*) from looked) < ${LIMITS.failures_looked_through} as is_complete,
      (select coalesce(json_agg(json_build_object('kind', r.kind, 'reason', r.reason, 'error_code', r.error_code,
          'count', r.count, 'waiting', r.waiting,
          'message', left(coalesce(i.error_message, i.degraded_reason), ${LIMITS.triage_message_characters} + 1),
          'record_id', (left(i.run_id::text, 28) || lpad(to_hex(i.seq), 8, '0')))
          order by r.count desc, r.reason, r.error_code), '[]')
        from (select * from reasons order by count desc, reason, error_code limit ${groups}) r cross join lateral (
          select * from items where project_id = ${project_id} and run_id = ${run_id} and seq = r.seq offset 0) i) as reasons,
      (select count(*)::int from reasons) as reason_count,
      (select coalesce(json_agg(c), '[]')
        from (select * from clusters order by count desc, cluster_key limit ${groups}) c) as clusters,
      (select count(*)::int from clusters) as cluster_count,
      (select coalesce(json_agg(p), '[]')
        from (select * from partitions order by failed + degraded + held desc, partition_key limit ${groups}) p) as partitions,
      (select count(*)::int from partitions) as partition_count,
      (select coalesce(json_agg(u), '[]') from unread u) as unread,
      (select coalesce(json_agg(u), '[]') from unpriced u) as unpriced`
  const reasons = row!.reasons.map(one => ({ ...one, message: messageHead(one.message) }))
  return { ...row!, reasons }
}
