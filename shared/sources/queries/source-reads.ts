// Queues and leases the reads of sources. Guarantee: of all readers of an occurrence, however long they were paused,
// only the one whose run the row names decides it, in the transaction that writes its outcome.

import { isHeld } from '../../accounts/queries/installation.ts'
import type { AgentProtocol, DeploymentKind } from '../../agents/vocabulary.ts'
import type { Sql } from '../../context.ts'
import { byProject, findProjects } from '../../kernel/each-project.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import { times } from '../../kernel/packed-columns.ts'
import type { AgentDeclaration } from '../../protocol/rules/protocol.ts'
import { ONE_ROW } from '../../schedules/tables/schedules.ts'
import { START_COLUMNS, type StartSettings } from '../../submission/wire/start-settings.ts'
import type { Source } from '../rules/source.ts'

export interface Occurrence {
  project_id: string
  schedule_id: string
  scheduled_for: Date
}

/** Queues occurrences to be read; one that is queued already stays as it is. */
export async function bookReads(sql: Sql, occurrences: readonly Occurrence[]): Promise<void> {
  for (const [project_id, own] of byProject(occurrences))
    await sql`
      insert into source_reads (schedule_id, scheduled_for, project_id, due_at)
      select g.schedule_id, g.scheduled_for, s.project_id, now()
      from unnest(${own.map(o => o.schedule_id)}::uuid[], ${times(own.map(o => o.scheduled_for))}::text::timestamptz[])
        as g(schedule_id, scheduled_for)
      join schedules s on s.project_id = ${project_id} and s.id = g.schedule_id
      on conflict do nothing`
}

export interface ClaimedRead extends Occurrence {
  /** The fencing token. */
  run_id: string
  /** The run that an earlier reader left unfinished. */
  left_run_id: string | null
}

/**
 * Leases the read that has waited longest, of a project below its limit of reads at once. Reads of generators are left
 * to hosts that reach agents. Returns undefined if there is none.
 */
export async function claimRead(
  sql: Sql,
  run_id: string,
  { per_project, lease_ms, generators }: { per_project: number; lease_ms: number; generators: boolean },
): Promise<ClaimedRead | undefined> {
  const look = sql`
    select project_id from source_reads where due_at <= now() group by 1 order by min(due_at)`
  for (const project_id of await findProjects(sql, look)) {
    const row = await claimReadOf(sql, run_id, { per_project, lease_ms, generators }, project_id)
    if (row) return row
  }
}

async function claimReadOf(
  sql: Sql,
  run_id: string,
  { per_project, lease_ms, generators }: { per_project: number; lease_ms: number; generators: boolean },
  project_id: string,
): Promise<ClaimedRead | undefined> {
  const [row] = await sql<ClaimedRead[]>`
    with due as (
      select schedule_id, scheduled_for, run_id as left_run_id from source_reads
      where project_id = ${project_id} and due_at <= now() and not ${isHeld(sql)}
        and ${per_project} > (
          select count(*) from source_reads
          where project_id = ${project_id} and run_id is not null and due_at > now())
        and (${generators} or not exists (
          select 1 from schedules s
          where s.project_id = ${project_id} and s.id = schedule_id and s.source ? 'generator'))
      order by due_at limit 1 for update skip locked
    )
    update source_reads q set run_id = ${run_id}, due_at = now() + make_interval(secs => ${lease_ms / 1000})
    from due
    where q.project_id = ${project_id} and q.schedule_id = due.schedule_id and q.scheduled_for = due.scheduled_for
    returning q.project_id, q.schedule_id, q.scheduled_for, q.run_id, due.left_run_id`
  return row
}

/** Extends the lease of a read; false if another reader or nobody holds it by now. */
export async function extendRead(sql: Sql, run_id: string, held: Occurrence, lease_ms: number) {
  const result = await sql`
    update source_reads set due_at = now() + make_interval(secs => ${lease_ms / 1000})
    where project_id = ${held.project_id} and schedule_id = ${held.schedule_id} and scheduled_for = ${held.scheduled_for}
      and run_id = ${run_id}`
  return result.count === 1
}

/** Releases a read for the next reader. */
export async function releaseRead(sql: Sql, { project_id, schedule_id, scheduled_for, run_id }: ClaimedRead) {
  await sql`
    update source_reads set due_at = now(), run_id = null
    where project_id = ${project_id} and schedule_id = ${schedule_id} and scheduled_for = ${scheduled_for} and run_id = ${run_id}`
}

export interface EndedRead {
  /** Whether it may be retried: the schedule is still enabled, and no later occurrence has come. */
  is_current: boolean
}

/** Ends a read and locks its schedule until the transaction ends; undefined if the reader no longer holds it. */
export async function endRead(sql: Sql, { project_id, schedule_id, scheduled_for, run_id }: ClaimedRead) {
  const [held] = await sql<{ enabled: boolean }[]>`
    select enabled from schedules where project_id = ${project_id} and id = ${schedule_id} for no key update`
  if (!held) return undefined
  const [row] = await sql<EndedRead[]>`
    delete from source_reads q
    where q.project_id = ${project_id} and q.schedule_id = ${schedule_id} and q.scheduled_for = ${scheduled_for}
      and q.run_id = ${run_id}
    returning ${held.enabled}::boolean and not exists (
        select 1 from occurrences o where o.project_id = ${project_id} and o.schedule_id = q.schedule_id
          and o.scheduled_for > q.scheduled_for and not o.manual)
      and not exists (
        select 1 from source_reads r where r.project_id = ${project_id} and r.schedule_id = q.schedule_id
          and r.scheduled_for > q.scheduled_for)
      as is_current`
  return row
}

/** Records that the occurrence has started its run; false if it has been decided otherwise. */
export async function noteRead(sql: Sql, read: ClaimedRead, watchMinutes: number): Promise<boolean> {
  const acted = await sql`
    insert into occurrences as o (schedule_id, scheduled_for, project_id, outcome, run_id, tries, watch_until)
    values (${read.schedule_id}, ${read.scheduled_for}, ${read.project_id}, 'fired', ${read.run_id}, 1,
      now() + make_interval(mins => ${watchMinutes}))
    on conflict on constraint ${sql(ONE_ROW)} do update
      set outcome = excluded.outcome, reason = null, detail = null, run_id = excluded.run_id,
        occurred_at = excluded.occurred_at, tries = least(o.tries + 1, 32767), retry_at = null,
        watch_until = excluded.watch_until
      where o.retry_at is not null`
  if (acted.count === 0) return false
  const noted = await sql`
    update schedules set last_run_at = now() where project_id = ${read.project_id} and id = ${read.schedule_id}`
  return noted.count === 1
}

/** How often an occurrence was tried. */
export async function triesOf(
  sql: Sql,
  { project_id, schedule_id, scheduled_for }: Occurrence,
): Promise<number> {
  const [row] = await sql<{ tries: number }[]>`
    select tries from occurrences
    where project_id = ${project_id} and schedule_id = ${schedule_id} and scheduled_for = ${scheduled_for} and not manual`
  return row?.tries ?? 0
}

/** A run to start over a source, with its settings. */
export interface SourcedStart extends StartSettings {
  /** The schedule or trigger. */
  id: string
  project_id: string
  agent_id: string
  timezone: string
  /** The name of the run. */
  name: string
  source: Source
  source_headers_sealed: string | null
}

export interface SourcedSchedule extends Omit<SourcedStart, 'name'> {
  cron: string
  name: string | null
}

export async function findSourcedSchedule(
  sql: Sql,
  project_id: string,
  id: string,
): Promise<SourcedSchedule | undefined> {
  const [row] = await sql<SourcedSchedule[]>`
    select id, project_id, agent_id, cron, timezone, name, source, source_headers_sealed, ${sql(START_COLUMNS)}
    from schedules where project_id = ${project_id} and id = ${id} and source is not null`
  return row
}

/** An agent with its current deployment, which is null if nothing is deployed. */
export interface CurrentDeployment {
  slug: string
  deployment: {
    account_id: string | null
    id: string
    kind: DeploymentKind
    protocol: AgentProtocol
    url: string | null
    bundle_hash: string | null
    declaration: AgentDeclaration
    env_sealed: string | null
  } | null
}

export async function findCurrent(
  sql: Sql,
  { project_id, agent_id }: AgentKey,
): Promise<CurrentDeployment | undefined> {
  const [row] = await sql<CurrentDeployment[]>`
    select a.slug, case when d.id is not null then json_build_object('account_id', p.account_id, 'id', d.id, 'kind', d.kind, 'protocol', d.protocol,
      'url', d.url, 'bundle_hash', d.bundle_hash, 'declaration', d.declaration, 'env_sealed', d.env_sealed) end as deployment
    from agents a join projects p on p.id = a.project_id
      left join deployments d on d.project_id = a.project_id and d.id = a.current_deployment_id
    where a.project_id = ${project_id} and a.id = ${agent_id} and a.deleted_at is null`
  return row
}
