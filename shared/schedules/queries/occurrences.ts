// Writes the occurrences of schedules and opens their runs. Guarantee: a fire time has one row, and the statement that
// sets it to `fired` also opens its run; every writer holds the row lock of the schedule.

import { isHeld } from '../../accounts/queries/installation.ts'
import { type Asked, asked, byProject } from '../../cluster/queries/distributed.ts'
import { isDistributed, type Reachable } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
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

/** The projects with due schedules, for a cluster: those with few come first. */
export const projectsDue = (sql: Sql) => (of: Reachable) =>
  sql`
  select project_id from schedules where next_at <= now() ${of('schedules')} group by 1 order by count(*)`

/**
 * Returns due schedules and locks them, except those that another process has locked. Accounts take turns, each with
 * its oldest schedule first, so that the due schedules of one account never delay those of another.
 */
export function lockDue(sql: Sql, limit: number, project: Asked) {
  const ofProject = asked(sql, 's', project)
  return sql<DueSchedule[]>`
    with due as materialized (
      select s.id, row_number() over (partition by p.account_id order by s.next_at, s.id) as turn
      from schedules s join projects p on p.id = s.project_id where s.next_at <= now() and not ${isHeld(sql)} ${ofProject}
    )
    select s.id, s.project_id, s.agent_id, s.name, s.cron, s.timezone, s.source is not null as has_source, s.next_at, now() as now
    from due join schedules s on s.id = due.id
    where s.next_at <= now() ${ofProject} order by due.turn, s.next_at limit ${limit} for no key update of s skip locked`
}

/** A fire time to act on, with its schedule. */
export type DueOccurrence = LockedSchedule & { scheduled_for: Date }

/** The projects with occurrences due for a retry, for a cluster. */
export const projectsToRetry = (sql: Sql) => (of: Reachable) =>
  sql`select distinct project_id from occurrences where retry_at <= now() ${of('occurrences')}`

/** Returns occurrences due for a retry that no later fire time has overtaken, and locks their schedules. */
export function lockRetries(sql: Sql, limit: number, project: Asked) {
  return sql<DueOccurrence[]>`
    select s.id, s.project_id, s.agent_id, s.name, s.cron, s.timezone, s.source is not null as has_source, o.scheduled_for
    from occurrences o join schedules s on s.id = o.schedule_id ${asked(sql, 's', project)}
    where o.retry_at <= now() and s.next_at > now() and not ${isHeld(sql)} and not exists (select 1 from source_reads q
      where q.project_id = o.project_id and q.schedule_id = o.schedule_id and q.scheduled_for = o.scheduled_for)
      ${asked(sql, 'o', project)}
    order by o.retry_at limit ${limit} for no key update of s skip locked`
}

export interface StartingAgent {
  id: string
  slug: string
  is_deployed: boolean
}

/** The agents that exist. One that is locked, because it is being removed, is left out without waiting. */
export async function findStartingAgents(sql: Sql, wanted: readonly AgentKey[]): Promise<StartingAgent[]> {
  const found: StartingAgent[] = []
  for (const [project, own] of await byProject(sql, wanted))
    found.push(
      ...(await sql<StartingAgent[]>`
        select id, slug, current_deployment_id is not null as is_deployed from agents
        where id = any(${[...new Set(own.map(({ agent_id }) => agent_id))]}::uuid[]) and deleted_at is null
          ${asked(sql, 'agents', project)} for key share skip locked`),
    )
  return found
}

export interface Payer extends RunRoom {
  project_id: string
  account_id: string
}

/** The accounts of projects, and how many more runs each may open. */
export async function findPayers(sql: Sql, projectIds: readonly string[]): Promise<Payer[]> {
  const ids = [...new Set(projectIds)]
  const found: Payer[] = []
  for (const asked of (await isDistributed(sql)) ? ids : [null])
    found.push(
      ...(await sql<Payer[]>`
        select p.id as project_id, c.id as account_id, c.status = 'suspended' as is_suspended, room.*
        from projects p join accounts c on c.id = p.account_id, ${sql.unsafe(await roomOf(sql, asked))}
        where p.id = any(${asked === null ? ids : [asked]}::uuid[])`),
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
  for (const [project, own] of await byProject(sql, refusals)) {
    // Computed from the first wait, in seconds since 1970: a cluster accepts no now() in this place, and no expression
    // that might depend on a time zone.
    const again =
      project === null
        ? sql`now() + ${wait('o.tries')}`
        : sql`to_timestamp(extract(epoch from excluded.retry_at - to_timestamp(0) - ${wait('0')} + ${wait('o.tries')}))`
    await sql`
      insert into occurrences as o (schedule_id, scheduled_for, project_id, outcome, reason, detail, tries, retry_at)
      select g.schedule_id, g.scheduled_for, s.project_id, g.outcome, g.reason, g.detail::jsonb, 1,
        case when g.retried then now() + ${wait('0')} end
      from unnest(${own.map(r => r.schedule_id)}::uuid[], ${times(own.map(r => r.scheduled_for))}::text::timestamptz[],
        ${own.map(r => r.outcome)}::occurrence_outcome[], ${own.map(r => r.reason)}::occurrence_reason[],
        ${numbers(own.map(r => r.retried))}::text::boolean[],
        ${own.map(r => (r.detail ? JSON.stringify(r.detail) : null))}::text[])
        as g(schedule_id, scheduled_for, outcome, reason, retried, detail)
      join schedules s on s.id = g.schedule_id ${asked(sql, 's', project)}
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
  for (const [project, own] of await byProject(sql, moments))
    await sql`
      insert into occurrences (schedule_id, scheduled_for, project_id, outcome, reason)
      select g.schedule_id, g.scheduled_for, s.project_id, 'missed', 'overdue'
      from unnest(${own.map(m => m.schedule_id)}::uuid[], ${times(own.map(m => m.scheduled_for))}::text::timestamptz[])
        as g(schedule_id, scheduled_for)
      join schedules s on s.id = g.schedule_id ${asked(sql, 's', project)}
      on conflict do nothing`
}

export interface NextFire {
  project_id: string
  schedule_id: string
  next_at: Date
}

/** Moves schedules forward to their next fire times, never back: a late writer changes nothing. */
export async function advance(sql: Sql, nexts: readonly NextFire[]): Promise<void> {
  for (const [project, own] of await byProject(sql, nexts))
    await sql`
      update schedules s set next_at = g.next_at
      from unnest(${own.map(n => n.schedule_id)}::uuid[], ${times(own.map(n => n.next_at))}::text::timestamptz[])
        as g(schedule_id, next_at)
      where s.id = g.schedule_id and s.next_at < g.next_at ${asked(sql, 's', project)}`
}

export interface EndedOccurrence extends NamedOccurrence {
  reason: OccurrenceReason
}

/** Ends the retries of occurrences that a later fire time has overtaken; they keep their last reason. */
export async function endRetries(sql: Sql, newest: readonly NamedOccurrence[]) {
  const ended: EndedOccurrence[] = []
  for (const [project, own] of await byProject(sql, newest))
    ended.push(...(await endRetriesOf(sql, own, project)))
  return ended
}

function endRetriesOf(sql: Sql, newest: readonly NamedOccurrence[], project: Asked) {
  return sql<EndedOccurrence[]>`
    update occurrences o set retry_at = null
    from unnest(${newest.map(m => m.schedule_id)}::uuid[], ${times(newest.map(m => m.scheduled_for))}::text::timestamptz[])
      as g(schedule_id, scheduled_for)
    where o.schedule_id = g.schedule_id and o.retry_at is not null and o.scheduled_for < g.scheduled_for
      -- If the source of an occurrence is being read now, the read decides about it.
      and not exists (select 1 from source_reads q
        where q.project_id = o.project_id and q.schedule_id = o.schedule_id and q.scheduled_for = o.scheduled_for)
      ${asked(sql, 'o', project)}
    returning o.schedule_id, o.scheduled_for, o.reason`
}
