// Queues digests of ended runs, and reads what they say. Guarantee: one digest is queued for each channel that wants
// it, in the transaction that takes the run off `ended_runs`; its content is read when it is first sent, of the run as
// it ended.

import type { Sql } from '../../context.ts'
import { isFirstRun } from '../../items/tables/runs.ts'
import type { RunRow } from '../../items/wire/runs.ts'
import { byProject, findProjects } from '../../kernel/each-project.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { messageId } from '../../kernel/message-id.ts'
import type { DigestEnd } from '../../outbox/wire/messages.ts'
import { callFacts } from '../../prices/queries/call-facts.ts'
import type { ClosedState } from '../../upstreams/rules/states.ts'

/** Queues digests of ended runs for the channels that want them; returns how many. */
export async function queueDigests(sql: Sql, runs: readonly RunKey[]): Promise<number> {
  let queued = 0
  for (const [project_id, own] of byProject(runs)) {
    const { count } = await sql`
      insert into deliveries (id, project_id, run_id, kind, url, format, run)
      select ${sql.unsafe(messageId(`r.id::text || ' run.digest ' || c.url`))}, ${project_id}::uuid, r.id, 'run.digest', c.url, c.format, to_jsonb(r)
      from runs r join alert_channels c on c.project_id = ${project_id}
      where r.project_id = ${project_id} and r.id = any(${own.map(run => run.run_id)}::uuid[]) and ${sql.unsafe(isFirstRun('r'))}
        and (c.digest = 'all' or c.digest = 'scheduled' and exists (
          select 1 from occurrences o where o.project_id = ${project_id} and o.run_id = r.id))
      on conflict do nothing`
    queued += count
  }
  return queued
}

/**
 * How many items of each run people found to have worked, or not to, against the recorded verdict. Scans the items that
 * did not work, a second for 4,000,000 items: an index for it would have to be built while nobody
 * claims.
 */
export async function findCorrections(sql: Sql, project_id: string, runIds: readonly string[]) {
  return sql<{ run_id: string; to_ok: number; to_degraded: number }[]>`
    select run_id, count(*) filter (where corrected = 'ok')::int as to_ok,
      count(*) filter (where corrected = 'degraded')::int as to_degraded
    from triage
    where project_id = ${project_id} and run_id = any(${[...runIds]}::uuid[]) and corrected is not null group by 1`
}

/**
 * How many items of a run that did not work still wait for a decision, which those that somebody took out of triage
 * without one do not; the run's `undecided` counts these, too.
 */
export async function countToDecide(sql: Sql, { project_id, run_id }: RunKey): Promise<number> {
  const [row] = await sql<{ items: number }[]>`
    select count(*)::int as items from triage
    where project_id = ${project_id} and run_id = ${run_id} and lane = 'dlq' and disposition is null`
  return row!.items
}

/** What items of a project wait for outside as the digest is written, the most of them first. */
export function findItemsWaiting(sql: Sql, project_id: string) {
  return sql<{ host: string; label: string | null; state: ClosedState; items: number }[]>`
    select * from (
      select u.host, u.label, u.state, greatest(
        (select coalesce(sum(r.total_items - r.running - r.paused - ended_items(r)), 0) from runs r
          where r.project_id = ${project_id} and r.waits_for = u.id and r.finished_at is null),
        (select count(*) from (
          select from due_items d where d.project_id = ${project_id} and d.upstream_id = u.id and d.due_at = 'infinity'
          limit ${LIMITS.upstream_items_counted}) d))::int as items
      from upstreams u where u.project_id = ${project_id} and u.state <> 'open') waiting
    where items > 0 order by items desc limit ${LIMITS.digest_causes}`
}

/** What digests report, by message: the run as it was when it ended, its schedule, and the schedule's run before. */
export async function findDigests(sql: Sql, deliveryIds: readonly string[]): Promise<Map<string, DigestEnd>> {
  const look = sql`select distinct project_id from deliveries where id = any(${[...deliveryIds]}::uuid[])`
  const ends = new Map<string, DigestEnd>()
  for (const project_id of await findProjects(sql, look))
    for (const [id, end] of await findDigestsOf(sql, deliveryIds, project_id)) ends.set(id, end)
  return ends
}

type EndRow = DigestEnd['run'] &
  Omit<DigestEnd, 'run' | 'previous'> & { delivery_id: string; previous_id: string | null }

async function findDigestsOf(sql: Sql, deliveryIds: readonly string[], project_id: string) {
  const rows = await sql<EndRow[]>`
    select r.*, a.slug as agent_slug, v.version as deployment_version,
      ${sql.unsafe(callFacts('r', 'v'))} as calls, d.id as delivery_id,
      fired.schedule_id, fired.cron, fired.timezone, fired.scheduled_for, before.id as previous_id,
      (select coalesce(jsonb_agg(jsonb_build_object('host', u.host, 'label', u.label) order by u.since), '[]') from upstreams u
        where u.project_id = ${project_id} and u.id = any(r.waited_for)) as waited_for_hosts
    from deliveries d cross join lateral jsonb_populate_record(null::runs, d.run) r
    join agents a on a.project_id = ${project_id} and a.id = r.agent_id
    left join deployments v on v.project_id = ${project_id} and v.id = r.deployment_id
    left join lateral (
      select s.id as schedule_id, s.cron, s.timezone, o.scheduled_for
      from occurrences o join schedules s on s.project_id = ${project_id} and s.id = o.schedule_id where o.project_id = ${project_id} and o.run_id = r.id limit 1
    ) fired on true
    left join lateral (
      select p.id from (
        select o.run_id, o.scheduled_for from occurrences o
        where o.project_id = ${project_id} and o.schedule_id = fired.schedule_id and o.run_id < r.id
        order by o.scheduled_for desc limit ${LIMITS.digest_nights}
      ) o join runs p on p.project_id = ${project_id} and p.id = o.run_id
      where p.finished_at is not null order by o.scheduled_for desc limit 1
    ) before on true
    where d.project_id = ${project_id} and d.id = any(${[...deliveryIds]}::uuid[])`
  const before = rows.flatMap(row => row.previous_id ?? [])
  const previous = await sql<(RunRow & { finished_at: Date })[]>`
    select r.*, a.slug as agent_slug, v.version as deployment_version, ${sql.unsafe(callFacts('r', 'v'))} as calls
    from runs r join agents a on a.project_id = ${project_id} and a.id = r.agent_id
      left join deployments v on v.project_id = ${project_id} and v.id = r.deployment_id
    where r.project_id = ${project_id} and r.id = any(${before}::uuid[])`
  const previousOf = new Map(previous.map(run => [run.id, run]))
  return new Map(
    rows.map(row => [row.delivery_id, endOf(row, previousOf.get(row.previous_id ?? '') ?? null)]),
  )
}

function endOf(row: EndRow, previous: DigestEnd['previous']): DigestEnd {
  const { delivery_id: _, previous_id: __, schedule_id, cron, timezone, scheduled_for, ...rest } = row
  const { waited_for_hosts, ...run } = rest
  return { run, schedule_id, cron, timezone, scheduled_for, waited_for_hosts, previous }
}
