// Reads upstreams for people, and has one tried at once. Guarantee: what it counts of the items and runs that wait is
// bounded, however many do.

import { askProjects } from '../../cluster/queries/distributed.ts'
import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { RunWait } from '../rules/upstream-words.ts'
import type { UpstreamRow } from '../wire/upstreams.ts'
import { SET_FOR } from './upstream-limits.ts'

const NOW_MS = '(extract(epoch from now()) * 1000)::float8 as now_ms'

const SHOWN = `u.id, u.project_id, u.kind, u.host, u.label, u.model, u.deployment_id, u.state, u.pace, u.since, u.words,
  u.status, u.next_at, u.probes, u.pacing, ${NOW_MS}, u.agent_id, case when u.agent_id is not null then u.key end as own,
  ${SET_FOR} as declared,
  (select count(*)::int from (
    select from due_items d where d.project_id = u.project_id and d.upstream_id = u.id and d.due_at = 'infinity'
    limit ${LIMITS.upstream_items_counted}) waiting) as waiting_items,
  (select coalesce(array_agg(waiting.id), '{}') from (
    select r.id from runs r where r.project_id = u.project_id and r.waits_for = u.id and r.finished_at is null
    order by r.id desc limit ${LIMITS.upstream_runs}) waiting) as runs`

/** Whether an upstream lets everything through. */
const IS_PLAIN = `(u.state = 'open' and u.pace is null and u.next_at is null)`
const isPlain = ({ state, pace, next_at }: UpstreamRow) =>
  state === 'open' && pace === null && next_at === null

/** Limits that people set for what was not called yet, as upstreams that are open, with what is in force there. */
const UNCALLED = `select u.id, u.project_id, (case when u.host like '%/%' then 'agent' else 'credential' end)::upstream_kind as kind, u.host,
  u.label, '' as model, null::uuid as deployment_id, 'open'::upstream_state as state, null::real as pace,
  u.set_at as since, '' as words, null::int as status, null::timestamptz as next_at, 0 as probes, null::jsonb as pacing, ${NOW_MS}, null::uuid as agent_id, null as own,
  ${SET_FOR} as declared, 0 as waiting_items, '{}'::uuid[] as runs
  from (select id, project_id, host, nullif(label, '') as label, set_at from upstream_limits) u where not exists (
    select from upstreams c where c.project_id = u.project_id and c.host = u.host and c.agent_id is null
      and coalesce(u.label, '') in ('', coalesce(c.label, '')))`

/** The upstreams of projects: those that let not everything through first, each part with the newest state first. */
export function listUpstreams(sql: Sql, project_ids: readonly string[]): Promise<UpstreamRow[]> {
  const limit = LIMITS.upstreams_per_project + LIMITS.upstream_limits_per_project
  const ask = async (ids: readonly string[]) => {
    const called = await sql<UpstreamRow[]>`
      select ${sql.unsafe(SHOWN)} from upstreams u where u.project_id = any(${[...ids]}::uuid[])
      order by ${sql.unsafe(IS_PLAIN)}, u.since desc, u.id limit ${LIMITS.upstreams_per_project}`
    const uncalled = await sql<UpstreamRow[]>`
      ${sql.unsafe(UNCALLED)} and u.project_id = any(${[...ids]}::uuid[])
      order by u.set_at desc, u.id limit ${LIMITS.upstream_limits_per_project}`
    return [...called, ...uncalled].toSorted(compare)
  }
  const compare = (a: UpstreamRow, b: UpstreamRow) =>
    Number(isPlain(a)) - Number(isPlain(b)) || b.since.getTime() - a.since.getTime()
  return askProjects(sql, project_ids, ask, { limit, compare })
}

/** The upstream, if it belongs to one of these projects; that of a limit is found by the limit's id too, once it was called. */
export async function findUpstream(
  sql: Sql,
  project_ids: readonly string[],
  id: string,
): Promise<UpstreamRow | undefined> {
  // In two steps: a cluster counts what waits on the node of one project only.
  const [of] = await sql<{ project_id: string; id: string }[]>`
    select u.project_id, u.id from upstreams u where u.project_id = any(${[...project_ids]}::uuid[]) and (u.id = ${id}
      or exists (select from upstream_limits l where l.project_id = u.project_id and l.id = ${id} and l.host = u.host
        and u.agent_id is null and l.label in ('', coalesce(u.label, ''))))
    order by u.id <> ${id}, u.used_at desc limit 1`
  const [row] =
    of === undefined
      ? await sql<UpstreamRow[]>`
          ${sql.unsafe(UNCALLED)} and u.project_id = any(${[...project_ids]}::uuid[]) and u.id = ${id}`
      : await sql<UpstreamRow[]>`
          select ${sql.unsafe(SHOWN)} from upstreams u where u.project_id = ${of.project_id} and u.id = ${of.id}`
  return row
}

/** Has an upstream tried at once; one that is open already stays as it is. */
export async function retryNow(sql: Sql, project_id: string, id: string): Promise<void> {
  await sql`
    update upstreams set next_at = least(next_at, now())
    where project_id = ${project_id} and id = ${id} and state <> 'open'`
}

/** The upstream `u` as a `ShutUpstream`. */
export const SHUT_UPSTREAM = `case when u.id is not null and (u.state <> 'open' or u.next_at is not null) then
  jsonb_build_object('host', u.host, 'label', u.label, 'state', u.state, 'reason', u.words,
    'next_ms', (extract(epoch from u.next_at - now()) * 1000)::float8) end`

/** How much longer run `r`, with the deployment `v`, waits for upstreams. */
export const PATIENCE_LEFT_MS = `greatest(0, 1000 * coalesce(r.patience_seconds, (v.declaration->>'patience_seconds')::int,
  ${LIMITS.patience_seconds.default})::float8 - r.waited_ms - coalesce(extract(epoch from now() - r.waits_since) * 1000, 0))::float8`

/** What runs of a project wait for, by their ids; runs that wait for nothing are left out. */
export async function findRunWaits(
  sql: Sql,
  project_id: string,
  run_ids: readonly string[],
): Promise<Map<string, RunWait>> {
  const rows = await sql<(RunWait & { id: string })[]>`
    select r.id, ${sql.unsafe(SHUT_UPSTREAM)} as upstream, ${sql.unsafe(PATIENCE_LEFT_MS)} as patience_ms
    from runs r left join upstreams u on u.project_id = ${project_id} and u.id = r.waits_for
      left join deployments v on v.project_id = ${project_id} and v.id = r.deployment_id
    where r.project_id = ${project_id} and r.id = any(${[...run_ids]}::uuid[]) and r.waits_for is not null`
  return new Map(rows.map(({ id, ...wait }) => [id, wait]))
}
