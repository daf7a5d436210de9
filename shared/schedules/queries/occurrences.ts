// Writes the occurrences of schedules and opens their runs. Guarantee: a fire time has one row, and the statement that
// sets it to `fired` also opens its run; every writer holds the row lock of the schedule.

import type { Fragment } from 'postgres'
import { isHeld } from '../../accounts/queries/installation.ts'
import type { Sql } from '../../context.ts'
import { byProject } from '../../kernel/each-project.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import { numbers, times } from '../../kernel/packed-columns.ts'
import type { SourceProblem } from '../../sources/rules/source.ts'
import { roomOf } from '../../submission/queries/run-admission.ts'
import type { RunRoom } from '../../submission/rules/run-admission.ts'
import { ONE_ROW } from '../tables/schedules.ts'
import type { OccurrenceOutcome, OccurrenceReason } from '../vocabulary.ts'

/** Sets the lock timeout of the transaction's statements. */
export async function waitAtMost(sql: Sql, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(ms)}, true)`
}

export interface LockedSchedule {
  id: string
  project_id: string
  agent_id: string
  name: string | null
  cron: string
  timezone: string
  /** Its items must first be read from a source. */
  has_source: boolean
}

export type DueSchedule = LockedSchedule & { next_at: Date; now: Date }

/** The projects with due schedules, those with the oldest first. */
export const projectsDue = (sql: Sql): Fragment =>
  sql`select project_id from schedules where next_at <= now() group by 1 order by min(next_at)`

/** Returns due schedules of a project, oldest first, and locks them, except those that another process has locked. */
export function lockDue(sql: Sql, limit: number, project_id: string) {
  return sql<DueSchedule[]>`
    select s.id, s.project_id, s.agent_id, s.name, s.cron, s.timezone, s.source is not null as has_source, s.next_at,
      now() as now
    from schedules s where s.project_id = ${project_id} and s.next_at <= now() and not ${isHeld(sql)}
    order by s.next_at, s.id limit ${limit} for no key update of s skip locked`
}

/** A fire time to act on, with its schedule. */
export type DueOccurrence = LockedSchedule & { scheduled_for: Date }

/** The projects with occurrences due for a retry. */
export const projectsToRetry = (sql: Sql): Fragment =>
  sql`select project_id from occurrences where retry_at <= now() group by 1 order by min(retry_at)`

/** Returns occurrences due for a retry that no later fire time has overtaken, and locks their schedules. */
export function lockRetries(sql: Sql, limit: number, project_id: string) {
  return sql<DueOccurrence[]>`
    select s.id, s.project_id, s.agent_id, s.name, s.cron, s.timezone, s.source is not null as has_source, o.scheduled_for
    from occurrences o join schedules s on s.project_id = ${project_id} and s.id = o.schedule_id
    where o.project_id = ${project_id} and o.retry_at <= now() and s.next_at > now() and not ${isHeld(sql)}
      and not ${isBeingRead(sql, project_id)}
    order by o.retry_at limit ${limit} for no key update of s skip locked`
}

/** Whether the source of the occurrence `o` is being read: the read decides about it then. */
const isBeingRead = (sql: Sql, project_id: string): Fragment => sql`exists (
  select 1 from source_reads q
  where q.project_id = ${project_id} and q.schedule_id = o.schedule_id and q.scheduled_for = o.scheduled_for)`

export interface StartingAgent {
  id: string
  slug: string
  is_deployed: boolean
}

/** The agents that exist. One that is locked, because it is being removed, is left out without waiting. */
export async function findStartingAgents(sql: Sql, wanted: readonly AgentKey[]): Promise<StartingAgent[]> {
  const found: StartingAgent[] = []
  for (const [project_id, own] of byProject(wanted))
    found.push(
      ...(await sql<StartingAgent[]>`
        select id, slug, current_deployment_id is not null as is_deployed from agents
        where project_id = ${project_id} and id = any(${[...new Set(own.map(({ agent_id }) => agent_id))]}::uuid[])
          and deleted_at is null for key share skip locked`),
    )
  return found
}

export interface Payer extends RunRoom {
  project_id: string
  account_id: string
}

/** The accounts of projects, and how many more runs each may open. */
export async function findPayers(sql: Sql, projectIds: readonly string[]): Promise<Payer[]> {
  const found: Payer[] = []
  for (const id of new Set(projectIds))
    found.push(
      ...(await sql<Payer[]>`
        select p.id as project_id, c.id as account_id, c.status = 'suspended' as is_suspended, room.*
        from projects p join accounts c on c.id = p.account_id, ${sql.unsafe(await roomOf(sql, id))}
        where p.id = ${id}`),
    )
  return found
}

export interface RefusedOccurrence extends NamedOccurrence {
  outcome: OccurrenceOutcome
  reason: OccurrenceReason
  /** Whether it is retried before the next fire time. */
  retried: boolean
  /** What was wrong with the source, if it failed. */
  detail?: SourceProblem | null
}

/** Records why occurrences started no run. The wait before a retry doubles each time, from `base` to `max` seconds. */
export async function noteRefusals(
  sql: Sql,
  refusals: readonly RefusedOccurrence[],
  backoff: { base: number; max: number },
): Promise<void> {
  const wait = (tries: string) =>
    sql.unsafe(`make_interval(secs => least(${backoff.max}, ${backoff.base} * 2 ^ least(${tries}, 20)))`)
  for (const [project_id, own] of byProject(refusals)) {
    // Computed from the first wait, in seconds since 1970: a cluster accepts no now() in this place, and no expression
    // that might depend on a time zone.
    const again = sql`
      to_timestamp(extract(epoch from excluded.retry_at - to_timestamp(0) - ${wait('0')} + ${wait('o.tries')}))`
    await sql`
      insert into occurrences as o (schedule_id, scheduled_for, project_id, outcome, reason, detail, tries, retry_at)
      select g.schedule_id, g.scheduled_for, s.project_id, g.outcome, g.reason, g.detail::jsonb, 1,
        case when g.retried then now() + ${wait('0')} end
      from unnest(${own.map(r => r.schedule_id)}::uuid[], ${times(own.map(r => r.scheduled_for))}::text::timestamptz[],
        ${own.map(r => r.outcome)}::occurrence_outcome[], ${own.map(r => r.reason)}::occurrence_reason[],
        ${numbers(own.map(r => r.retried))}::text::boolean[],
        ${own.map(r => (r.detail ? JSON.stringify(r.detail) : null))}::text[])
        as g(schedule_id, scheduled_for, outcome, reason, retried, detail)
      join schedules s on s.project_id = ${project_id} and s.id = g.schedule_id
      on conflict on constraint ${sql(ONE_ROW)} do update
        set outcome = excluded.outcome, reason = excluded.reason, detail = excluded.detail, occurred_at = excluded.occurred_at,
          tries = least(o.tries + 1, 32767),
          retry_at = case when excluded.retry_at is not null then ${again} end
        where o.retry_at is not null`
  }
}

export interface NamedOccurrence {
  project_id: string
  schedule_id: string
  scheduled_for: Date
}

/** Records fire times that passed without an attempt as missed. */
export async function noteMissed(sql: Sql, moments: readonly NamedOccurrence[]): Promise<void> {
  for (const [project_id, own] of byProject(moments))
    await sql`
      insert into occurrences (schedule_id, scheduled_for, project_id, outcome, reason)
      select g.schedule_id, g.scheduled_for, s.project_id, 'missed', 'overdue'
      from unnest(${own.map(m => m.schedule_id)}::uuid[], ${times(own.map(m => m.scheduled_for))}::text::timestamptz[])
        as g(schedule_id, scheduled_for)
      join schedules s on s.project_id = ${project_id} and s.id = g.schedule_id
      on conflict do nothing`
}

export interface NextFire {
  project_id: string
  schedule_id: string
  next_at: Date
}

/** Moves schedules forward to their next fire times, never back: a late writer changes nothing. */
export async function advance(sql: Sql, nexts: readonly NextFire[]): Promise<void> {
  for (const [project_id, own] of byProject(nexts))
    await sql`
      update schedules s set next_at = g.next_at
      from unnest(${own.map(n => n.schedule_id)}::uuid[], ${times(own.map(n => n.next_at))}::text::timestamptz[])
        as g(schedule_id, next_at)
      where s.project_id = ${project_id} and s.id = g.schedule_id and s.next_at < g.next_at`
}

export interface EndedOccurrence extends NamedOccurrence {
  reason: OccurrenceReason
}

/** Ends the retries of occurrences that a later fire time has overtaken; they keep their last reason. */
export async function endRetries(sql: Sql, newest: readonly NamedOccurrence[]) {
  const ended: EndedOccurrence[] = []
  for (const [project_id, own] of byProject(newest)) ended.push(...(await endRetriesOf(sql, own, project_id)))
  return ended
}

function endRetriesOf(sql: Sql, newest: readonly NamedOccurrence[], project_id: string) {
  return sql<EndedOccurrence[]>`
    update occurrences o set retry_at = null
    from unnest(${newest.map(m => m.schedule_id)}::uuid[], ${times(newest.map(m => m.scheduled_for))}::text::timestamptz[])
      as g(schedule_id, scheduled_for)
    where o.project_id = ${project_id} and o.schedule_id = g.schedule_id and o.retry_at is not null
      and o.scheduled_for < g.scheduled_for and not ${isBeingRead(sql, project_id)}
    returning o.schedule_id, o.scheduled_for, o.reason`
}
