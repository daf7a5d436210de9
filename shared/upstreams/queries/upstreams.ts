// All SQL about upstreams: their states, and the items that wait for them. Guarantee: only what began after a state was
// entered changes it, so an answer that comes late says nothing about now.

import type { Sql } from '../../context.ts'
import { changeInEach, findProjects } from '../../kernel/each-project.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { lockedIds } from '../../kernel/locked-ids.ts'
import { type ClosedState, waitOf } from '../rules/states.ts'
import type { UpstreamName } from '../rules/upstream.ts'
import type { UpstreamState } from '../vocabulary.ts'

/** What a call showed. */
export interface Seen extends UpstreamName {
  id: string
  /** How long ago the call began. */
  ago_ms: number
}

export interface Refusal extends Seen {
  label: string | null
  state: ClosedState
  status: number | null
  words: string
  /** When the upstream itself says that it serves again; null if it does not. */
  moment_ms: number | null
}

const began = (sql: Sql, { ago_ms }: Seen) => sql`now() - make_interval(secs => ${ago_ms / 1000}::float8)`
const after = (sql: Sql, ms: number) => sql`now() + make_interval(secs => ${ms / 1000}::float8)`

/** Closes an upstream, or keeps it closed for as long as it says. */
export async function closeUpstream(sql: Sql, seen: Refusal): Promise<void> {
  const { project_id, id, kind, host, key, model, deployment_id, label, state, status, words } = seen
  const first = waitOf(state, { probes: 0, lasted_ms: 0, moment_ms: seen.moment_ms })
  const later = seen.moment_ms === null ? 0 : Math.min(seen.moment_ms, LIMITS.upstream_moment_ms.max)
  await sql`
    insert into upstreams as u (project_id, id, kind, host, key, model, deployment_id, label, state, since, status, words,
      next_at, used_at)
    select ${project_id}, ${id}, ${kind}, ${host}, ${key}, ${model}, ${deployment_id}, ${label}, ${state}, now(), ${status},
      ${words}, ${after(sql, first)}, now()
    where exists (select from upstreams where project_id = ${project_id} and id = ${id})
      or (select count(*) from (
        select from upstreams where project_id = ${project_id} and state <> 'open' limit ${LIMITS.upstreams_per_project}) n)
        < ${LIMITS.upstreams_per_project}
    on conflict (project_id, id) do update set state = excluded.state, status = excluded.status, words = excluded.words,
      since = case when u.state = excluded.state then u.since else now() end,
      probes = case when u.state = excluded.state then u.probes else 0 end,
      next_at = case when u.state = excluded.state
        then greatest(u.next_at, least(${after(sql, later)}, now() + make_interval(secs => ${LIMITS.upstream_moment_ms.first / 1000}::float8 * 2 ^ least(u.probes, 20))))
        else excluded.next_at end,
      pace = null, label = coalesce(excluded.label, u.label), used_at = now()
    where u.since <= ${began(sql, seen)}`
}

/** Opens an upstream, slowly if it was closed for long. */
export async function openUpstream(sql: Sql, seen: Seen): Promise<void> {
  await sql`
    update upstreams u set state = 'open', since = now(), probes = 0, next_at = now(), succeeded_at = now(), used_at = now(),
      pace = case when u.since < now() - make_interval(secs => ${LIMITS.upstream_brief_ms / 1000})
        then ${LIMITS.upstream_opening.first}::real end
    where u.project_id = ${seen.project_id} and u.id = ${seen.id} and u.state <> 'open' and u.since <= ${began(sql, seen)}`
}

/** An upstream that is not open. */
export interface Closed extends UpstreamName {
  id: string
  state: ClosedState
  words: string
  status: number | null
  label: string | null
  /** How long it has been in that state. */
  lasted_ms: number
}

/** The upstreams of projects that are not open. */
export function findClosed(sql: Sql, project_ids: readonly string[]) {
  return sql<Closed[]>`
    select project_id, id, kind, host, key, model, deployment_id, state, words, status, label,
      (extract(epoch from now() - since) * 1000)::float8 as lasted_ms
    from upstreams where project_id = any(${project_ids}::uuid[]) and state <> 'open'
    order by since desc limit ${LIMITS.upstreams_per_project * project_ids.length}`
}

interface DueUpstream {
  id: string
  state: UpstreamState
  probes: number
  pace: number | null
  lasted_ms: number
}

/** Lets items through to upstreams whose moment has come; returns how many items. */
export async function advanceUpstreams(sql: Sql): Promise<number> {
  const look = sql`select project_id from upstreams where next_at <= now() group by 1 order by min(next_at)`
  let released = 0
  for (const project_id of await findProjects(sql, look)) {
    const n = await sql.begin(async tx => {
      const own = tx as unknown as Sql
      const due = await own<DueUpstream[]>`
        select id, state, probes, pace, (extract(epoch from now() - since) * 1000)::float8 as lasted_ms
        from upstreams where project_id = ${project_id} and next_at <= now()
        order by next_at limit ${LIMITS.upstreams_per_look} for update skip locked`
      let n = 0
      for (const upstream of due)
        n +=
          upstream.state === 'open'
            ? await letIn(own, project_id, upstream)
            : await probe(own, project_id, upstream)
      return n
    })
    released += n
  }
  return released
}

/** The next items of an upstream that opens; all that are left once its pace is more than runs have at work. */
async function letIn(sql: Sql, project_id: string, { id, pace }: DueUpstream): Promise<number> {
  const most = pace === null || pace > LIMITS.upstream_opening.max ? LIMITS.sweep_items : pace
  const released = await release(sql, project_id, id, most)
  if (released >= most) {
    const next = pace === null ? null : pace * 2
    await sql`update upstreams set pace = ${next}, next_at = ${after(sql, 1000)} where project_id = ${project_id} and id = ${id}`
    return released
  }
  await sql`update upstreams set pace = null, next_at = null where project_id = ${project_id} and id = ${id}`
  await endWaits(sql, project_id, id)
  return released
}

const WAITED = 'greatest(0, extract(epoch from now() - waits_since) * 1000)::bigint'

/** What a run no longer waits for, and for how long it did. */
export const END_WAIT = `waits_for = null, waits_since = null, waited_ms = waited_ms + ${WAITED}, waited_for = case
      when waits_for = any(waited_for) or cardinality(waited_for) >= ${LIMITS.upstreams_per_deployment} then waited_for
      else waited_for || waits_for end`

/** Offers fresh items of the runs that waited for an upstream. */
async function endWaits(sql: Sql, project_id: string, id: string): Promise<void> {
  const runs = lockedIds(sql, 'runs', sql`project_id = ${project_id} and waits_for = ${id}`)
  await sql`
    update runs set ${sql.unsafe(END_WAIT)}
    where project_id = ${project_id} and id = any(${runs})`
}

/** One item tries a closed upstream: the one that was stopped there least often, else a fresh one. */
async function probe(sql: Sql, project_id: string, upstream: DueUpstream): Promise<number> {
  const { id, state, probes, lasted_ms } = upstream
  const released = (await release(sql, project_id, id, 1)) + (await releaseFresh(sql, project_id, id, probes))
  if (released === 0 && lasted_ms > LIMITS.upstream_forgotten_ms) {
    await sql`update upstreams set state = 'open', since = now(), next_at = now(), pace = null, probes = 0 where project_id = ${project_id} and id = ${id}`
    return 0
  }
  const wait_ms = waitOf(state as ClosedState, { probes: probes + 1, lasted_ms, moment_ms: null })
  await sql`
    update upstreams set probes = probes + 1, next_at = ${after(sql, wait_ms)}
    where project_id = ${project_id} and id = ${id}`
  return released
}

/** Offers items that wait for an upstream; returns how many. */
async function release(sql: Sql, project_id: string, id: string, most: number): Promise<number> {
  const { count } = await sql`
    update due_items d set due_at = now()
    from (
      select run_id, seq from due_items
      where project_id = ${project_id} and upstream_id = ${id} and due_at = 'infinity'
      order by stops, run_id, seq limit ${Math.ceil(most)} for update skip locked
    ) n
    where d.project_id = ${project_id} and d.run_id = n.run_id and d.seq = n.seq`
  return count
}

/** After the first, every second probe is joined by a fresh item, since those that wait may be the ones at fault. */
async function releaseFresh(sql: Sql, project_id: string, id: string, probes: number): Promise<number> {
  if (probes % 2 === 0) return 0
  const { count } = await sql`
    insert into due_items (project_id, run_id, seq, due_at, upstream_id)
    select i.project_id, i.run_id, i.seq, now(), ${id}
    from runs r cross join lateral (
        select project_id, run_id, seq from items
        where project_id = ${project_id} and run_id = r.id and status = 'queued'
          and seq between r.next_seq and least(r.total_items, r.pilot_items)
        order by seq limit 1 offset 0) i
    where r.project_id = ${project_id} and r.waits_for = ${id} and r.finished_at is null and r.stop_reason is null
    order by r.touched_at limit 1
    on conflict do nothing`
  return count
}

/**
 * Offers items that wait for an upstream that is open: it opened while their consumer, which knew it closed, was giving
 * them back. Returns how many upstreams that were.
 */
export async function endForgottenWaits(sql: Sql): Promise<number> {
  const forgotten = await sql<{ project_id: string; upstream_id: string }[]>`
    select w.project_id, w.upstream_id
    from (select project_id, upstream_id from due_items where upstream_id is not null and due_at = 'infinity'
      union select project_id, waits_for from runs where waits_for is not null) w
    where not exists (select from upstreams u where u.project_id = w.project_id and u.id = w.upstream_id
      and (u.state <> 'open' or u.next_at is not null))
    limit ${LIMITS.upstreams_per_look}`
  for (const { project_id, upstream_id } of forgotten) {
    await release(sql, project_id, upstream_id, LIMITS.sweep_items)
    await endWaits(sql, project_id, upstream_id)
  }
  return forgotten.length
}

/**
 * Ends the patience of runs that waited for as long as they may: their items that are left are offered, and end without
 * being sent. A cooling upstream is one that will serve, so its time counts only after an hour.
 */
export async function endPatience(sql: Sql): Promise<number> {
  const look = sql`select project_id from runs where waits_for is not null group by 1 order by random()`
  return changeInEach(sql, look, LIMITS.open_runs_per_look, async (project_id, limit) => {
    const over = await sql<{ id: string; host: string; state: ClosedState; words: string }[]>`
      select r.id, u.host, u.state, u.words
      from runs r join upstreams u on u.project_id = ${project_id} and u.id = r.waits_for
        join deployments d on d.project_id = ${project_id} and d.id = r.deployment_id
      where r.project_id = ${project_id} and r.waits_for is not null and r.finished_at is null and u.state <> 'open'
        and (u.state <> 'cooling' or u.since < now() - interval '1 hour')
        and r.waited_ms + ${sql.unsafe(WAITED)} >= 1000 * coalesce(r.patience_seconds, (d.declaration->>'patience_seconds')::int,
          ${LIMITS.patience_seconds.default})::bigint
      limit ${limit}`
    for (const { id, host, state, words } of over) {
      const why = `${host} was ${state.replaceAll('_', ' ')} for longer than the run waits: ${words}`
      await sql.begin(async tx => {
        await tx`
          update due_items set due_at = now() where project_id = ${project_id} and run_id = ${id} and due_at = 'infinity'`
        await tx`
          update runs set unavailable = ${why}, pilot_items = null, ${tx.unsafe(END_WAIT)}
          where project_id = ${project_id} and id = ${id} and waits_for is not null`
      })
    }
    return over.length
  })
}

/** Removes upstreams that nobody has called for long. */
export function removeUnused(sql: Sql, limit: number): Promise<number> {
  const unused = sql`used_at < now() - make_interval(days => ${LIMITS.upstream_kept_days}) and state = 'open'`
  return changeInEach(
    sql,
    sql`select project_id from upstreams where ${unused} group by 1`,
    limit,
    async (project_id, most) => {
      const { count } = await sql`
      delete from upstreams u using (
        select id from upstreams where project_id = ${project_id} and ${unused} limit ${most} for update skip locked) o
      where u.project_id = ${project_id} and u.id = o.id`
      return count
    },
  )
}
