// The moments that schedules name, and the runs they start. Guarantee: a moment has one row, and its run is opened by
// the very statement that makes the row say so; whoever acts on a schedule holds the lock of its row.

import { isHeld } from '../../accounts/queries/installation.ts'
import type { Sql } from '../../context.ts'
import { recordId } from '../../items/queries/item-keys.ts'
import { numbers, times } from '../../kernel/packed-columns.ts'
import type { SourceProblem } from '../../sources/rules/source.ts'
import { ROOM } from '../../submission/queries/run-admission.ts'
import type { RunRoom } from '../../submission/rules/run-admission.ts'
import { START_COLUMNS_OF_ONE } from '../../submission/wire/start-settings.ts'
import type { DisabledReason, OccurrenceOutcome, OccurrenceReason } from '../vocabulary.ts'

/** Lets no statement of the transaction wait longer for somebody's lock. */
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
  /** Its items are read from a source first. */
  has_source: boolean
}

export type DueSchedule = LockedSchedule & { next_at: Date; now: Date }

/**
 * Schedules with a moment that has come, locked; those that somebody else acts on are left to them. By turns of accounts,
 * the oldest of each first, so that however many of one are due, it takes no moment of another's.
 */
export async function lockDue(sql: Sql, limit: number) {
  return sql<DueSchedule[]>`
    with due as materialized (
      select s.id, row_number() over (partition by p.account_id order by s.next_at, s.id) as turn
      from schedules s join projects p on p.id = s.project_id where s.next_at <= now() and not ${isHeld(sql)}
    )
    select s.id, s.project_id, s.agent_id, s.name, s.cron, s.timezone, s.source is not null as has_source, s.next_at, now() as now
    from due join schedules s on s.id = due.id
    where s.next_at <= now() order by due.turn, s.next_at limit ${limit} for no key update of s skip locked`
}

/** A moment to be fired, with its schedule. */
export type DueOccurrence = LockedSchedule & { scheduled_for: Date }

/** Moments to be tried again while no later one has come, their schedules locked. */
export async function lockRetries(sql: Sql, limit: number) {
  return sql<DueOccurrence[]>`
    select s.id, s.project_id, s.agent_id, s.name, s.cron, s.timezone, s.source is not null as has_source, o.scheduled_for
    from occurrences o join schedules s on s.id = o.schedule_id
    where o.retry_at <= now() and s.next_at > now() and not ${isHeld(sql)} and not exists (select from source_reads q
      where q.schedule_id = o.schedule_id and q.scheduled_for = o.scheduled_for)
    order by o.retry_at limit ${limit} for no key update of s skip locked`
}

export interface StartingAgent {
  id: string
  slug: string
  is_deployed: boolean
}

/** Agents that are there. One that is just being removed is not waited for. */
export async function findStartingAgents(sql: Sql, ids: readonly string[]) {
  return sql<StartingAgent[]>`
    select id, slug, current_deployment_id is not null as is_deployed from agents
    where id = any(${[...new Set(ids)]}::uuid[]) and deleted_at is null for key share skip locked`
}

export interface Payer extends RunRoom {
  project_id: string
  account_id: string
}

/** The accounts of projects, and how many runs more each may open. */
export async function findPayers(sql: Sql, projectIds: readonly string[]) {
  return sql<Payer[]>`
    select p.id as project_id, c.id as account_id, c.status = 'suspended' as is_suspended, room.*
    from projects p join accounts c on c.id = p.account_id, ${sql.unsafe(ROOM)}
    where p.id = any(${[...new Set(projectIds)]}::uuid[])`
}

const RUN_NAME = 'schedule '
export const runName = ({ name, cron }: { name: string | null; cron: string }) => name ?? RUN_NAME + cron

export interface Start {
  schedule_id: string
  scheduled_for: Date
  run_id: string
}

/**
 * Opens a run of one item for each moment that has no row yet or waits for another try; returns those it did.
 * Everything a run is made of is copied from its schedule within PostgreSQL.
 */
export async function startRuns(sql: Sql, starts: readonly Start[], watchMinutes: number) {
  return sql<{ schedule_id: string }[]>`
    with given as (
      select g.*, s.project_id, s.agent_id, s.cron, s.name, s.input, a.current_deployment_id as deployment_id,
        ${sql.unsafe(START_COLUMNS_OF_ONE.map(name => `s.${name}`).join())}
      from unnest(${starts.map(s => s.schedule_id)}::uuid[], ${times(starts.map(s => s.scheduled_for))}::text::timestamptz[],
        ${starts.map(s => s.run_id)}::uuid[]) as g(schedule_id, scheduled_for, run_id)
      join schedules s on s.id = g.schedule_id join agents a on a.id = s.agent_id
    ), acted as (
      insert into occurrences as o (schedule_id, scheduled_for, project_id, outcome, run_id, tries, watch_until)
      select schedule_id, scheduled_for, project_id, 'fired', run_id, 1, now() + make_interval(mins => ${watchMinutes})
      from given
      on conflict (schedule_id, scheduled_for, manual) do update
        set outcome = excluded.outcome, reason = null, detail = null, run_id = excluded.run_id, occurred_at = now(),
          tries = least(o.tries + 1, 32767), retry_at = null, watch_until = excluded.watch_until
        where o.retry_at is not null
      returning schedule_id, run_id
    ), opened as (
      insert into runs (id, project_id, agent_id, deployment_id, name, total_items, input_bytes, ${sql.unsafe(START_COLUMNS_OF_ONE.join())})
      select run_id, project_id, agent_id, deployment_id, coalesce(name, ${RUN_NAME} || cron), 1, length(input),
        ${sql.unsafe(START_COLUMNS_OF_ONE.join())}
      from given join acted using (schedule_id, run_id)
    ), piled as (
      insert into items (project_id, run_id, seq, line, status, item_id, input)
      select project_id, run_id, 1, 1, 'queued', ${recordId(sql, 'r')}::text, input
      from (select project_id, run_id, 1 as seq, input from given join acted using (schedule_id, run_id)) r
    ), noted as (
      update schedules s set last_run_at = now() from acted where s.id = acted.schedule_id
    )
    select schedule_id from acted`
}

/** A start by hand: a row of its own beside those the cron names. Runs in the transaction that opens its run. */
export async function noteStartByHand(sql: Sql, scheduleId: string, runId: string): Promise<void> {
  // Two starts of one schedule wait for each other here, and so never have the same time.
  await sql`
    with schedule as (
      update schedules set last_run_at = now() where id = ${scheduleId} returning id, project_id
    )
    insert into occurrences (schedule_id, scheduled_for, manual, project_id, outcome, reason, run_id, tries)
    select id, clock_timestamp(), true, project_id, 'fired', 'manual', ${runId}, 1 from schedule`
}

export interface RefusedOccurrence {
  schedule_id: string
  scheduled_for: Date
  outcome: OccurrenceOutcome
  reason: OccurrenceReason
  /** Whether it is tried again before the next moment comes. */
  retried: boolean
  /** Of a source that failed. */
  detail?: SourceProblem | null
}

/** Says of moments why nothing was started. Another try waits twice as long each time, up to a bound. */
export async function noteRefusals(
  sql: Sql,
  refusals: readonly RefusedOccurrence[],
  backoff: { base: number; max: number },
): Promise<void> {
  const wait = (tries: string) =>
    sql`make_interval(secs => least(${backoff.max}, ${backoff.base} * 2 ^ least(${sql.unsafe(tries)}, 20)))`
  await sql`
    insert into occurrences as o (schedule_id, scheduled_for, project_id, outcome, reason, detail, tries, retry_at)
    select g.schedule_id, g.scheduled_for, s.project_id, g.outcome, g.reason, g.detail::jsonb, 1,
      case when g.retried then now() + ${wait('0')} end
    from unnest(${refusals.map(r => r.schedule_id)}::uuid[], ${times(refusals.map(r => r.scheduled_for))}::text::timestamptz[],
      ${refusals.map(r => r.outcome)}::occurrence_outcome[], ${refusals.map(r => r.reason)}::occurrence_reason[],
      ${numbers(refusals.map(r => r.retried))}::text::boolean[],
      ${refusals.map(r => (r.detail ? JSON.stringify(r.detail) : null))}::text[])
      as g(schedule_id, scheduled_for, outcome, reason, retried, detail)
    join schedules s on s.id = g.schedule_id
    on conflict (schedule_id, scheduled_for, manual) do update
      set outcome = excluded.outcome, reason = excluded.reason, detail = excluded.detail, occurred_at = now(),
        tries = least(o.tries + 1, 32767),
        retry_at = case when excluded.retry_at is not null then now() + ${wait('o.tries')} end
      where o.retry_at is not null`
}

export interface NamedOccurrence {
  schedule_id: string
  scheduled_for: Date
}

/** Says of moments that they passed with no attempt. */
export async function noteMissed(sql: Sql, moments: readonly NamedOccurrence[]): Promise<void> {
  await sql`
    insert into occurrences (schedule_id, scheduled_for, project_id, outcome, reason)
    select g.schedule_id, g.scheduled_for, s.project_id, 'missed', 'overdue'
    from unnest(${moments.map(m => m.schedule_id)}::uuid[], ${times(moments.map(m => m.scheduled_for))}::text::timestamptz[])
      as g(schedule_id, scheduled_for)
    join schedules s on s.id = g.schedule_id
    on conflict do nothing`
}

/** Moves schedules on to their next moments, never back: whoever comes late has nothing to say. */
export async function advance(
  sql: Sql,
  nexts: readonly { schedule_id: string; next_at: Date }[],
): Promise<void> {
  await sql`
    update schedules s set next_at = g.next_at
    from unnest(${nexts.map(n => n.schedule_id)}::uuid[], ${times(nexts.map(n => n.next_at))}::text::timestamptz[])
      as g(schedule_id, next_at)
    where s.id = g.schedule_id and s.next_at < g.next_at`
}

/** Disables schedules that cannot be read any more. */
export async function disableUnreadable(
  sql: Sql,
  schedules: readonly { schedule_id: string; reason: DisabledReason }[],
): Promise<void> {
  await sql`
    update schedules s set enabled = false, disabled_reason = g.reason, next_at = null, updated_at = now()
    from unnest(${schedules.map(s => s.schedule_id)}::uuid[], ${schedules.map(s => s.reason)}::disabled_reason[])
      as g(schedule_id, reason)
    where s.id = g.schedule_id`
}

export interface EndedOccurrence extends NamedOccurrence {
  reason: OccurrenceReason
}

/** Ends the tries of moments that later ones have overtaken; they keep their last reason. */
export async function endRetries(sql: Sql, newest: readonly NamedOccurrence[]) {
  return sql<EndedOccurrence[]>`
    update occurrences o set retry_at = null
    from unnest(${newest.map(m => m.schedule_id)}::uuid[], ${times(newest.map(m => m.scheduled_for))}::text::timestamptz[])
      as g(schedule_id, scheduled_for)
    where o.schedule_id = g.schedule_id and o.retry_at is not null and o.scheduled_for < g.scheduled_for
      -- One whose source is being read just now is decided by that.
      and not exists (select from source_reads q
        where q.schedule_id = o.schedule_id and q.scheduled_for = o.scheduled_for)
    returning o.schedule_id, o.scheduled_for, o.reason`
}

export interface UnstartedOccurrence extends NamedOccurrence {
  project_id: string
  agent_id: string
  agent_slug: string
  name: string | null
  cron: string
  timezone: string
  run_id: string
}

/** Looks whether workers started the runs of moments in time, and says so of those that nobody did. */
export async function noteNeverStarted(sql: Sql, limit: number) {
  return sql<(UnstartedOccurrence & { never_started: boolean })[]>`
    with looked as (
      select o.schedule_id, o.scheduled_for, o.manual, o.run_id,
        r.started_at is null and r.finished_at is null and r.id is not null as never_started
      from occurrences o left join runs r on r.id = o.run_id
      where o.watch_until <= now() order by o.watch_until limit ${limit} for no key update of o skip locked
    ), told as (
      update occurrences o set watch_until = null,
        reason = case when l.never_started then 'run_never_started' else o.reason end
      from looked l
      where o.schedule_id = l.schedule_id and o.scheduled_for = l.scheduled_for and o.manual = l.manual
    )
    select l.schedule_id, l.scheduled_for, l.run_id, l.never_started, s.project_id, s.agent_id, a.slug as agent_slug,
      s.name, s.cron, s.timezone
    from looked l join schedules s on s.id = l.schedule_id join agents a on a.id = s.agent_id`
}
