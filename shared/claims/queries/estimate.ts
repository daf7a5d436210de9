// Reads what an estimate of a run is made from. Guarantee: bounded, whatever a project holds: a few rows of runs and upstreams,
// and a few hundred of items, by their keys.

import { isHeld } from '../../accounts/queries/installation.ts'
import type { Sql } from '../../context.ts'
import { endedItemsOf } from '../../items/queries/transitions.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { DeclaredLimits } from '../../pacing/rules/declared-limits.ts'
import type { Pacing } from '../../pacing/rules/pacing.ts'
import type { UpstreamKind, UpstreamState } from '../../upstreams/vocabulary.ts'
import { IS_OPEN } from './admission.ts'
import { OFFERED_ITEMS } from './pilots.ts'

/** What items came to, in all. */
export interface Ran {
  items: number
  calls: number
  input_tokens: number
  output_tokens: number
}

/** Another run of the project that begins items. */
export interface OpenRun extends Ran {
  id: string
  deployment_id: string | null
  queued: number
}

const RAN = `r.ok + r.degraded + r.failed as items, r.model_calls as calls, r.input_tokens, r.output_tokens`

/** Runs of a project that begin items now; those that wait for something outside do not. */
export function listBeginning(sql: Sql, project_id: string): Promise<OpenRun[]> {
  return sql<OpenRun[]>`
    select r.id, coalesce(r.deployment_id, a.current_deployment_id) as deployment_id,
      ${sql.unsafe(OFFERED_ITEMS)} - r.running - r.paused - ${sql.unsafe(endedItemsOf('r'))} as queued, ${sql.unsafe(RAN)}
    from runs r join agents a on a.project_id = ${project_id} and a.id = r.agent_id
    where r.project_id = ${project_id} and ${sql.unsafe(IS_OPEN)} and r.waits_for is null
    order by r.id limit ${LIMITS.estimate_runs}`
}

/** A run of an agent with items that ended. */
export interface EarlierRun extends Ran {
  id: string
  next_seq: number
  running: number
}

export interface RunsOf {
  project_id: string
  agent_id: string
  /** A run that is among them in any case. */
  run_id: string | null
}

/** The newest first. Replays use what was recorded, so they say something about themselves alone. */
export function listEarlier(sql: Sql, { project_id, agent_id, run_id }: RunsOf): Promise<EarlierRun[]> {
  return sql<EarlierRun[]>`
    select r.id, r.next_seq, r.running, ${sql.unsafe(RAN)} from (
      select * from runs where project_id = ${project_id} and agent_id = ${agent_id}
      order by id desc limit ${LIMITS.estimate_earlier_runs}
    ) r where r.ok + r.degraded + r.failed > 0 and r.replay_of is null and r.recovery_id is null
      and r.id is distinct from ${run_id}::uuid
    union all
    select r.id, r.next_seq, r.running, ${sql.unsafe(RAN)} from runs r
    where r.project_id = ${project_id} and r.id = ${run_id}::uuid and r.ok + r.degraded + r.failed > 0
    order by id desc`
}

export interface Took {
  items: number
  seconds: number | null
}

/**
 * How long items of a run took that ended at their first attempt. Of a run at work those that began before the ones in flight:
 * among the latest the quick ones ended first.
 */
export async function readTook(sql: Sql, project_id: string, run: EarlierRun): Promise<Took> {
  const last = run.next_seq - 1 - 2 * run.running
  const [took] = await sql<Took[]>`
    select count(*)::int as items, avg(extract(epoch from completed_at - started_at))::float8 as seconds
    from items where project_id = ${project_id} and run_id = ${run.id} and seq > ${last - LIMITS.estimate_items}
      and seq <= ${last} and attempt = 1 and completed_at is not null and started_at is not null`
  return took!
}

/** How long ago an item of a run began; null if it has not, and if the run has waited for something outside since it started. */
export async function readBegan(
  sql: Sql,
  { project_id, run_id }: RunKey,
  seq: number,
): Promise<number | null> {
  const [item] = await sql<{ seconds: number | null }[]>`
    select extract(epoch from now() - i.started_at)::float8 as seconds
    from items i join runs r on r.project_id = ${project_id} and r.id = i.run_id and r.waited_ms = 0
    where i.project_id = ${project_id} and i.run_id = ${run_id} and i.seq = ${seq}`
  return item?.seconds ?? null
}

/** What a run of an agent would start with. */
export interface Startable {
  deployment_id: string | null
  deployment_version: number | null
  declared_concurrency: number | null
  project_concurrency: number
  is_suspended: boolean
  is_held: boolean
}

export async function readStartable(
  sql: Sql,
  project_id: string,
  agent_id: string,
): Promise<Startable | undefined> {
  const [row] = await sql<Startable[]>`
    select d.id as deployment_id, d.version as deployment_version,
      (d.declaration->>'concurrency')::int as declared_concurrency,
      coalesce((p.settings->>'concurrency')::int, ${LIMITS.project_concurrency}) as project_concurrency,
      c.status is distinct from 'active' as is_suspended, ${isHeld(sql)} as is_held
    from agents a join projects p on p.id = ${project_id} left join accounts c on c.id = p.account_id
      left join deployments d on d.project_id = ${project_id} and d.id = a.current_deployment_id
    where a.project_id = ${project_id} and a.id = ${agent_id}`
  return row
}

/** Something that items of an agent need. */
export interface NeededRow {
  kind: UpstreamKind
  host: string
  label: string | null
  model: string
  state: UpstreamState
  words: string
  next_ms: number | null
  pacing: Pacing | null
  declared: DeclaredLimits[]
  deployments: string[]
  /** The latest version of the agent that calls it. */
  version: number
  now_ms: number
}

/** The upstreams that the latest deployments of an agent call, and limits that people set for its address. */
export function listNeeded(sql: Sql, project_id: string, agent_id: string): Promise<NeededRow[]> {
  return sql<NeededRow[]>`
    with own as materialized (
      select id, version, split_part(split_part(url, '?', 1), '#', 1) as address from deployments
      where project_id = ${project_id} and agent_id = ${agent_id} order by version desc limit ${LIMITS.upstream_deployments}
    )
    select u.kind, u.host, u.label, u.model, u.state, u.words, u.pacing, u.deployments,
      (extract(epoch from u.next_at - now()) * 1000)::float8 as next_ms, ${NOW_MS(sql)},
      array(select l.limits from upstream_limits l where l.project_id = ${project_id} and l.host = u.host
        and l.label in ('', coalesce(u.label, ''))) as declared,
      (select max(o.version) from own o where o.id = any(u.deployments)) as version
    from upstreams u
    where u.project_id = ${project_id} and u.deployments && array(select id from own)
      and (u.pacing is not null or u.state <> 'open')
    union all
    select 'agent', l.host, null, '', 'open', '', null, array[o.id], null, ${NOW_MS(sql)}, array[l.limits], o.version
    from upstream_limits l join own o on o.address = l.host
    where l.project_id = ${project_id} and l.label = '' and not exists (
      select from upstreams u where u.project_id = ${project_id} and u.host = l.host and u.pacing is not null)
    limit ${LIMITS.upstreams_per_project}`
}

const NOW_MS = (sql: Sql) => sql`(extract(epoch from now()) * 1000)::float8 as now_ms`
