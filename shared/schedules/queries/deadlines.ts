// Reads and writes deadlines, and finds those that passed unmet. Guarantee: the transaction that checks a passed
// deadline also moves it to the next day, so each passing is judged once.

import { and, asc, eq, sql as raw } from 'drizzle-orm'
import type { Fragment } from 'postgres'
import { agents } from '../../agents/tables/agents.ts'
import { RULES_BESIDE_DEADLINES } from '../../alerts/rules/alerts.ts'
import type { PassedDeadline } from '../../alerts/rules/run-alerts.ts'
import type { Database, Sql } from '../../context.ts'
import { isFirstRun } from '../../items/tables/runs.ts'
import { byProject, findInEach } from '../../kernel/each-project.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { NamedLimits } from '../../pacing/rules/named-limits.ts'
import { deadlines } from '../tables/deadlines.ts'
import { schedules } from '../tables/schedules.ts'
import type { DeadlineRow } from '../wire/deadlines.ts'

const columns = {
  id: deadlines.id,
  project_id: deadlines.project_id,
  agent_id: deadlines.agent_id,
  agent_slug: agents.slug,
  schedule_id: deadlines.schedule_id,
  cron: schedules.cron,
  schedule_name: schedules.name,
  finished_by: deadlines.finished_by,
  timezone: deadlines.timezone,
  due_at: deadlines.due_at,
  created_at: deadlines.created_at,
}

/** Oldest first. */
export function listDeadlines(db: Database, project_id: string): Promise<DeadlineRow[]> {
  return db
    .select(columns)
    .from(deadlines)
    .innerJoin(agents, and(eq(agents.project_id, deadlines.project_id), eq(agents.id, deadlines.agent_id)))
    .leftJoin(schedules, and(eq(schedules.project_id, project_id), eq(schedules.id, deadlines.schedule_id)))
    .where(eq(deadlines.project_id, project_id))
    .orderBy(asc(deadlines.id))
    .limit(LIMITS.deadlines_per_project)
}

/** Inserts or replaces the deadline of a schedule, or of any run of an agent. Returns its id. */
export async function putDeadline(db: Database, deadline: typeof deadlines.$inferInsert): Promise<string> {
  const { id, project_id, agent_id, schedule_id, finished_by, timezone, due_at } = deadline
  // By the name of the key, which has the project in front on a cluster.
  const [row] = await db.execute<{ id: string }>(raw`
    insert into deadlines (id, project_id, agent_id, schedule_id, finished_by, timezone, due_at)
    values (${id}, ${project_id}, ${agent_id}, ${schedule_id}, ${finished_by}, ${timezone}, ${due_at.toISOString()}::timestamptz)
    on conflict on constraint deadlines_subject
    do update set finished_by = excluded.finished_by, timezone = excluded.timezone, due_at = excluded.due_at
    returning id`)
  return row!.id
}

export async function deleteDeadline(db: Database, project_id: string, id: string): Promise<boolean> {
  const gone = await db
    .delete(deadlines)
    .where(and(eq(deadlines.project_id, project_id), eq(deadlines.id, id)))
    .returning({ id: deadlines.id })
  return gone.length > 0
}

export interface JudgedDeadline extends PassedDeadline {
  id: string
  now: Date
  /** A run was due. */
  is_expected: boolean
  /** An alert that explains it is open, or was raised in the day before. */
  is_explained: boolean
  /** A run was due, none has ended, and nothing explains it. */
  is_late: boolean
}

/**
 * Returns deadlines that have passed, and locks them. A schedule is late if its newest occurrence of the day before,
 * skipped ones aside, has no ended run; an agent is late if none of its runs of that day has ended. Replays and
 * recoveries do not count.
 */
export async function lockPassedDeadlines(sql: Sql, limit: number): Promise<JudgedDeadline[]> {
  const look = sql`select project_id from deadlines where due_at <= now() group by 1 order by min(due_at)`
  return findInEach(sql, look, limit, (project_id, limit) => {
    const due = sql`
      select * from deadlines where project_id = ${project_id} and due_at <= now()
      order by due_at limit ${limit} for no key update skip locked`
    return sql<JudgedDeadline[]>`${judged(sql, due, sql``, project_id)}`
  })
}

/** A deadline to come, with the next start of its schedule. */
export interface ComingDeadline extends JudgedDeadline {
  next_at: Date | null
  schedule_timezone: string | null
  concurrency: number | null
  limits: NamedLimits[] | null
  /** Of the latest run of the schedule; null if it has not had any. */
  last_items: number | null
}

/** Deadlines to come, judged as if they were now. In random order: more than are read at once get their turn. */
export async function findComingDeadlines(sql: Sql, limit: number): Promise<ComingDeadline[]> {
  const look = sql`select project_id from deadlines where due_at > now() group by 1 order by random()`
  return findInEach(sql, look, limit, (project_id, limit) => {
    const due = sql`
      select * from deadlines where project_id = ${project_id} and due_at > now() order by random() limit ${limit}`
    const start = sql`, s.next_at, s.timezone as schedule_timezone, s.concurrency, s.limits, (
      select r.total_items from occurrences o join runs r on r.project_id = ${project_id} and r.id = o.run_id
      where o.project_id = ${project_id} and o.schedule_id = d.schedule_id and not r.materializing
      order by o.scheduled_for desc limit 1) as last_items`
    return sql<ComingDeadline[]>`${judged(sql, due, start, project_id)}`
  })
}

/** The latest run of a schedule. */
export interface LastRun {
  run_id: string
  total_items: number
  is_open: boolean
  scheduled_for: Date
}

export async function findLastRun(
  sql: Sql,
  project_id: string,
  schedule_id: string,
): Promise<LastRun | undefined> {
  const [last] = await sql<LastRun[]>`
    select o.run_id, o.scheduled_for, r.total_items, r.finished_at is null as is_open
    from occurrences o join runs r on r.project_id = ${project_id} and r.id = o.run_id
    where o.project_id = ${project_id} and o.schedule_id = ${schedule_id} and not r.materializing
    order by o.scheduled_for desc limit 1`
  return last
}

/** What became of the runs that the deadlines `due` await; of an alert that a deadline was missed only an open one explains it. */
function judged(sql: Sql, due: Fragment, more: Fragment, project_id: string): Fragment {
  return sql`
    with due as (${due}), judged as (
    select d.id, d.project_id, d.agent_id, a.slug as agent_slug, d.schedule_id, s.cron, s.name as schedule_name, d.finished_by, d.timezone,
      d.due_at as passed_at, now() as now, awaited.run_id, awaited.total_items, awaited.ended_items,
      awaited.expected as is_expected, awaited.ended, exists (
        select 1 from alerts t where t.project_id = ${project_id}
          and t.rule::text <> all(${RULES_BESIDE_DEADLINES}::text[])
          and case when d.schedule_id is null then t.agent_id = d.agent_id else t.schedule_id = d.schedule_id end
          and (t.resolved_at is null or (t.rule <> 'not_finished' and t.created_at > d.due_at - interval '1 day'))
      ) as is_explained ${more}
    from due d join agents a on a.project_id = ${project_id} and a.id = d.agent_id
    left join schedules s on s.project_id = ${project_id} and s.id = d.schedule_id
    cross join lateral (
      select count(*) filter (where run.expected) > 0 as expected, coalesce(bool_or(run.ended), false) as ended,
        (array_agg(run.id order by run.id desc) filter (where not run.ended))[1] as run_id,
        (array_agg(run.total_items order by run.id desc) filter (where not run.ended))[1] as total_items,
        (array_agg(run.through order by run.id desc) filter (where not run.ended))[1] as ended_items
      from (
        select true as expected, r.id, r.total_items, r.finished_at is not null as ended,
          r.ok + r.degraded + r.failed + r.cancelled + r.budget_exceeded as through
        from (
          select o.run_id from occurrences o
          where o.project_id = ${project_id} and o.schedule_id = d.schedule_id and o.outcome <> 'skipped'
            and o.scheduled_for > d.due_at - interval '1 day' and o.scheduled_for <= d.due_at
          order by o.scheduled_for desc limit 1
        ) o left join runs r on r.project_id = ${project_id} and r.id = o.run_id
        where d.schedule_id is not null
        union all
        select true, r.id, r.total_items, r.finished_at is not null,
          r.ok + r.degraded + r.failed + r.cancelled + r.budget_exceeded
        from (select null) always left join lateral (
          select * from (
            select r.* from runs r where r.project_id = ${project_id} and r.agent_id = d.agent_id
            order by r.id desc limit ${LIMITS.deadline_runs}
          ) r
          where r.created_at > d.due_at - interval '1 day' and r.created_at <= d.due_at and ${sql.unsafe(isFirstRun('r'))}
        ) r on true
        where d.schedule_id is null
      ) run
    ) awaited
    )
    select *, is_expected and not ended and not is_explained as is_late from judged`
}

/** Moves deadlines to their next day. */
export async function moveDeadlines(
  sql: Sql,
  moved: readonly { project_id: string; id: string; due_at: Date }[],
): Promise<void> {
  for (const [project_id, own] of byProject(moved)) {
    const rows = own.map(({ id, due_at }) => ({ id, due_at: due_at.toISOString() }))
    await sql`
      update deadlines d set due_at = g.due_at
      from jsonb_to_recordset(${sql.json(rows)}) as g(id uuid, due_at timestamptz)
      where d.project_id = ${project_id} and d.id = g.id`
  }
}
