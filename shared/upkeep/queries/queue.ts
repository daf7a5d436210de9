// Reads the queued work of a project. Guarantee: it reads only the project's open runs and their due items, a bounded
// number of each, without locks.

import type { Sql } from '../../context.ts'
import { endedItemsOf } from '../../items/queries/transitions.ts'
import { LIMITS } from '../../kernel/limits.ts'

const QUEUED = `r.total_items - r.running - r.paused - ${endedItemsOf('r')}`

export interface QueueTotals {
  runs: number
  queued: number
  running: number
  paused: number
  retries: number
  /** Items that wait for an upstream, counted as far as retries. */
  upstream_waits: number
}

/** Totals over the open runs of a project; items of other tables are counted up to LIMITS.activity_counted. */
export async function countQueue(sql: Sql, project_id: string): Promise<QueueTotals> {
  const [row] = await sql<QueueTotals[]>`
    select count(*)::int as runs, coalesce(sum(${sql.unsafe(QUEUED)}) filter (where not materializing), 0)::bigint as queued,
      coalesce(sum(r.running), 0)::bigint as running, coalesce(sum(r.paused), 0)::bigint as paused,
      (select count(*)::int from (
        select from due_items where project_id = ${project_id} and due_at < 'infinity' limit ${LIMITS.activity_counted}) d) as retries,
      (select count(*)::int from (
        select from due_items where project_id = ${project_id} and due_at = 'infinity' limit ${LIMITS.activity_counted}) d) as upstream_waits
    from runs r where r.project_id = ${project_id} and r.finished_at is null`
  return row!
}

export interface QueuedRun {
  id: string
  name: string | null
  agent_slug: string
  queued: number
  running: number
  created_at: Date
  /** Since it was submitted or last claimed from. */
  waited_ms: number
}

/** Runs with queued items, those that were submitted or claimed from longest ago first. */
export async function listQueuedRuns(sql: Sql, project_id: string): Promise<QueuedRun[]> {
  return sql<QueuedRun[]>`
    select r.id, r.name, a.slug as agent_slug, ${sql.unsafe(QUEUED)} as queued, r.running, r.created_at,
      (extract(epoch from now() - r.touched_at) * 1000)::float8 as waited_ms
    from runs r join agents a on a.project_id = ${project_id} and a.id = r.agent_id
    where r.project_id = ${project_id} and r.finished_at is null and not r.materializing and ${sql.unsafe(QUEUED)} > 0
    order by r.touched_at limit ${LIMITS.queue_runs}`
}

export interface Retry {
  run_id: string
  seq: number
  item_id: string | null
  agent_slug: string
  attempt: number
  due_at: Date
  code: string | null
  message: string | null
}

/** Items that wait for a retry, the next one first; those that wait for an upstream have no time. */
export async function listRetries(sql: Sql, project_id: string): Promise<Retry[]> {
  return sql<Retry[]>`
    select d.run_id, d.seq, i.item_id, a.slug as agent_slug, i.attempt, d.due_at, t.code, t.message
    from (
      select d.* from runs r cross join lateral (
        select * from due_items d where d.project_id = ${project_id} and d.run_id = r.id and d.due_at < 'infinity'
        order by due_at limit ${LIMITS.queue_retries}) d
      where r.project_id = ${project_id} and r.finished_at is null order by d.due_at limit ${LIMITS.queue_retries}
    ) d join items i on i.project_id = ${project_id} and i.run_id = d.run_id and i.seq = d.seq
      join runs r on r.project_id = ${project_id} and r.id = d.run_id join agents a on a.project_id = ${project_id} and a.id = r.agent_id
      left join lateral (
        select code, message from attempts t where t.project_id = ${project_id} and t.run_id = d.run_id and t.seq = d.seq
        order by attempt desc limit 1) t on true
    order by d.due_at`
}
