// Counts the work to do, over all projects. Guarantee: it reads only open runs and due rows, however many have ended.

import {
  HAS_ROOM,
  IS_OPEN,
  IS_SERVED,
  PROJECT_ROOM,
  RUN_ROOM,
  runsWithCaps,
} from '../../claims/queries/admission.ts'
import { OFFERED_ITEMS } from '../../claims/queries/pilots.ts'
import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'

export interface Backlog {
  /** Queued items that neither a cap nor money keeps from starting; caps of partitions are not considered. */
  startable: number
  in_flight: number
  /** How many of those, at most, no consumer holds because their agents answer later. */
  answered_later: number
}

/** The queued items of run `r`; while it waits for an upstream, only those that are let through. */
const OFFERED_NOW = `case when r.waits_for is null then r.total_items - r.running - r.paused - ended_items(r) else (
          select count(*) from due_items i
          where i.project_id = r.project_id and i.run_id = r.id and i.due_at <= now()) end`

/** Counts the items that consumers hold and could hold. */
export async function countBacklog(sql: Sql): Promise<Backlog> {
  const [row] = await sql<Backlog[]>`
    select * from (select coalesce(sum(least(room, waiting)), 0)::bigint as startable from (
      select ${sql.unsafe(PROJECT_ROOM)} as room,
        sum(greatest(0, least(${sql.unsafe(OFFERED_NOW)}, ${sql.unsafe(RUN_ROOM)}))) as waiting
      from ${sql.unsafe(runsWithCaps())} where ${sql.unsafe(`${IS_OPEN} and ${IS_SERVED}`)}
      group by p.id, u.project_id) by_project) waiting,
      (select coalesce(sum(running), 0)::bigint as in_flight from project_usage) held,
      (select coalesce(sum(cardinality(seqs)), 0)::bigint as answered_later from claims where handed_from is not null) handed`
  return row!
}

export interface Gauges {
  runs_open: number
  items_waiting: number
  items_paused: number
  /** In open runs. */
  model_calls: number
  unread_calls: number
  suspected_calls: number
  /** Since the longest waiting run was submitted or last claimed from; runs at their caps or fences do not count. */
  oldest_wait_s: number
  leases_expired: number
  deliveries_due: number
  schedules_overdue: number
  schedule_lag_s: number
}

/** The figures that an operator looks at, each bounded by the rows that are open or due. */
export async function readGauges(sql: Sql): Promise<Gauges> {
  const due = (table: string, column: string) => sql`
    (select count(*) from (select 1 from ${sql(table)} where ${sql(column)} <= now() limit ${LIMITS.metrics_counted}) d)`
  const [row] = await sql<Gauges[]>`
    select open.*,
      coalesce((select extract(epoch from now() - min(
          case when r.next_seq <= ${sql.unsafe(OFFERED_ITEMS)} then r.touched_at else (
            select min(due_at) from due_items i
            where i.project_id = r.project_id and i.run_id = r.id and i.due_at <= now()) end))
        from ${sql.unsafe(runsWithCaps())}
        where ${sql.unsafe(`${IS_OPEN} and ${IS_SERVED} and ${HAS_ROOM} and coalesce(${RUN_ROOM} > 0, true)`)}), 0)::float8 as oldest_wait_s,
      ${due('claims', 'lease_until')} as leases_expired,
      ${due('deliveries', 'due_at')} as deliveries_due,
      ${due('schedules', 'next_at')} as schedules_overdue,
      coalesce((select extract(epoch from now() - min(next_at)) from schedules where next_at <= now()), 0)::float8
        as schedule_lag_s
    from (
      select count(*) as runs_open,
        coalesce(sum(total_items - running - paused - ended_items(runs)) filter (where not materializing), 0)::bigint
          as items_waiting,
        coalesce(sum(paused), 0)::bigint as items_paused, coalesce(sum(model_calls), 0)::bigint as model_calls,
        coalesce(sum(unread_calls), 0)::bigint as unread_calls,
        coalesce(sum(suspected_calls), 0)::bigint as suspected_calls
      from runs where finished_at is null) open`
  return row!
}

/** Whether any consumer holds items, by their leases. */
export async function isAnythingHeld(sql: Sql): Promise<boolean> {
  const rows = await sql`select from claims limit 1`
  return rows.length > 0
}
