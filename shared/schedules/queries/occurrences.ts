// Writes the occurrences of schedules and opens their runs. Guarantee: a fire time has one row, and the statement that
// sets it to `fired` also opens its run; every writer holds the row lock of the schedule.

import { isHeld } from '../../accounts/queries/installation.ts'
import { type Asked, askEach, asked, isDistributed, projectOf } from '../../cluster/queries/distributed.ts'
import type { Reachable } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
import { recordId } from '../../items/queries/item-keys.ts'
import { numbers, times } from '../../kernel/packed-columns.ts'
import type { SourceProblem } from '../../sources/rules/source.ts'
import { roomOf } from '../../submission/queries/run-admission.ts'
import type { RunRoom } from '../../submission/rules/run-admission.ts'
import { START_COLUMNS_OF_ONE } from '../../submission/wire/start-settings.ts'
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

/**
 * Returns due schedules and locks them, except those that another process has locked. Accounts take turns, each with
 * its oldest schedule first, so that the due schedules of one account never delay those of another.
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

/** A fire time to act on, with its schedule. */
export type DueOccurrence = LockedSchedule & { scheduled_for: Date }

/** Returns occurrences due for a retry that no later fire time has overtaken, and locks their schedules. */
export async function lockRetries(sql: Sql, limit: number): Promise<DueOccurrence[]> {
  const look = (of: Reachable) =>
    sql`select distinct project_id from occurrences where retry_at <= now() ${of('occurrences')}`
  return askEach(sql, look, limit, (project, limit) => lockRetriesOf(sql, limit, project))
}

function lockRetriesOf(sql: Sql, limit: number, project: Asked) {
  return sql<DueOccurrence[]>`
    select s.id, s.project_id, s.agent_id, s.name, s.cron, s.timezone, s.source is not null as has_source, o.scheduled_for
    from occurrences o join schedules s on s.id = o.schedule_id
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
export async function findStartingAgents(sql: Sql, ids: readonly string[]) {
  return sql<StartingAgent[]>`
    select id, slug, current_deployment_id is not null as is_deployed from agents
    where id = any(${[...new Set(ids)]}::uuid[]) and deleted_at is null for key share skip locked`
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

const RUN_NAME = 'schedule '
export const runName = ({ name, cron }: { name: string | null; cron: string }) => name ?? RUN_NAME + cron

export interface Start {
  schedule_id: string
  scheduled_for: Date
  run_id: string
}

/**
 * Opens a run of one item for each fire time that has no row yet or waits for a retry; returns the schedules of those.
 * PostgreSQL copies everything a run is made of from its schedule.
 */
export async function startRuns(sql: Sql, starts: readonly Start[], watchMinutes: number) {
  const started: { schedule_id: string }[] = []
  for (const { project, own } of await byProject(sql, starts)) {
    const some = await startRunsOf(sql, own, watchMinutes, project)
    // On a cluster schedules are on all nodes: no statement can write them together with a table that is on one node.
    if (project !== null && some.length > 0)
      await sql`
        update schedules set last_run_at = now() where id = any(${some.map(one => one.schedule_id)}::uuid[])`
    started.push(...some)
  }
  return started
}

/** Groups fire times by the statement to send: on a cluster one group per project, otherwise one group in all. */
async function byProject<T extends { schedule_id: string }>(
  sql: Sql,
  moments: readonly T[],
): Promise<{ project: Asked; own: readonly T[] }[]> {
  if (moments.length === 0 || !(await isDistributed(sql))) return [{ project: null, own: moments }]
  const rows = await sql<{ id: string; project_id: string }[]>`
    select id, project_id from schedules where id = any(${[...new Set(moments.map(m => m.schedule_id))]}::uuid[])`
  const projectOfSchedule = new Map(rows.map(row => [row.id, row.project_id]))
  return [...new Set(projectOfSchedule.values())].map(project => ({
    project,
    own: moments.filter(moment => projectOfSchedule.get(moment.schedule_id) === project),
  }))
}

function startRunsOf(sql: Sql, starts: readonly Start[], watchMinutes: number, project: Asked) {
  const own = projectOf(sql, 'project_id', project)
  const noted =
    project === null
      ? sql`, noted as (
      update schedules s set last_run_at = now() from acted where s.id = acted.schedule_id
    )`
      : sql``
  return sql<{ schedule_id: string }[]>`
    with given as (
      select g.*, s.project_id, s.agent_id, s.cron, s.name, s.input, a.current_deployment_id as deployment_id,
        ${sql.unsafe(START_COLUMNS_OF_ONE.map(name => `s.${name}`).join())}
      from unnest(${starts.map(s => s.schedule_id)}::uuid[], ${times(starts.map(s => s.scheduled_for))}::text::timestamptz[],
        ${starts.map(s => s.run_id)}::uuid[]) as g(schedule_id, scheduled_for, run_id)
      join schedules s on s.id = g.schedule_id join agents a on a.id = s.agent_id
    ), acted as (
      insert into occurrences as o (schedule_id, scheduled_for, project_id, outcome, run_id, tries, watch_until)
      select schedule_id, scheduled_for, ${own}, 'fired', run_id, 1, now() + make_interval(mins => ${watchMinutes})
      from given
      on conflict on constraint ${sql(ONE_ROW)} do update
        set outcome = excluded.outcome, reason = null, detail = null, run_id = excluded.run_id, occurred_at = excluded.occurred_at,
          tries = least(o.tries + 1, 32767), retry_at = null, watch_until = excluded.watch_until
        where o.retry_at is not null
      returning schedule_id, run_id
    ), opened as (
      insert into runs (id, project_id, agent_id, deployment_id, name, total_items, input_bytes, ${sql.unsafe(START_COLUMNS_OF_ONE.join())})
      select run_id, ${own}, agent_id, deployment_id, coalesce(name, ${RUN_NAME} || cron), 1, length(input),
        ${sql.unsafe(START_COLUMNS_OF_ONE.join())}
      from given join acted using (schedule_id, run_id)
    ), piled as (
      insert into items (project_id, run_id, seq, line, status, item_id, input)
      select ${own}, run_id, 1, 1, 'queued', ${recordId(sql, 'r')}::text, input
      from (select project_id, run_id, 1 as seq, input from given join acted using (schedule_id, run_id)) r
    )${noted}
    select schedule_id from acted`
}

/** Writes the occurrence of a start by hand, next to those of the cron, in the transaction that opens its run. */
export async function noteStartByHand(sql: Sql, scheduleId: string, runId: string): Promise<void> {
  // This update locks the schedule, so two starts by hand of one schedule never get the same time.
  const [schedule] = await sql<{ project_id: string }[]>`
    update schedules set last_run_at = now() where id = ${scheduleId} returning project_id`
  if (schedule)
    await sql`
      insert into occurrences (schedule_id, scheduled_for, manual, project_id, outcome, reason, run_id, tries)
      values (${scheduleId}, clock_timestamp(), true, ${schedule.project_id}, 'fired', 'manual', ${runId}, 1)`
}

export interface RefusedOccurrence {
  schedule_id: string
  scheduled_for: Date
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
  // Computed in seconds since 1970: a cluster accepts no expression in this place that might depend on a time zone.
  const again = (await isDistributed(sql))
    ? sql`to_timestamp(extract(epoch from excluded.occurred_at - to_timestamp(0) + ${wait('o.tries')}))`
    : sql`now() + ${wait('o.tries')}`
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
    on conflict on constraint ${sql(ONE_ROW)} do update
      set outcome = excluded.outcome, reason = excluded.reason, detail = excluded.detail, occurred_at = excluded.occurred_at,
        tries = least(o.tries + 1, 32767),
        retry_at = case when excluded.retry_at is not null then ${again} end
      where o.retry_at is not null`
}

export interface NamedOccurrence {
  schedule_id: string
  scheduled_for: Date
}

/** Records fire times that passed without an attempt as missed. */
export async function noteMissed(sql: Sql, moments: readonly NamedOccurrence[]): Promise<void> {
  await sql`
    insert into occurrences (schedule_id, scheduled_for, project_id, outcome, reason)
    select g.schedule_id, g.scheduled_for, s.project_id, 'missed', 'overdue'
    from unnest(${moments.map(m => m.schedule_id)}::uuid[], ${times(moments.map(m => m.scheduled_for))}::text::timestamptz[])
      as g(schedule_id, scheduled_for)
    join schedules s on s.id = g.schedule_id
    on conflict do nothing`
}

/** Moves schedules forward to their next fire times, never back: a late writer changes nothing. */
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

export interface EndedOccurrence extends NamedOccurrence {
  reason: OccurrenceReason
}

/** Ends the retries of occurrences that a later fire time has overtaken; they keep their last reason. */
export async function endRetries(sql: Sql, newest: readonly NamedOccurrence[]) {
  const ended: EndedOccurrence[] = []
  for (const { project, own } of await byProject(sql, newest))
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
