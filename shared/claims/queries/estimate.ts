// Reads what an estimate of a run is made from. Guarantee: bounded, whatever a project holds: a few rows of runs and upstreams,
// and a few hundred of items, by their keys.

import { isHeld } from '../../accounts/queries/installation.ts'
import type { Sql } from '../../context.ts'
import { endedItemsOf } from '../../items/queries/transitions.ts'
import { isFirstRun } from '../../items/tables/runs.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { NamedLimits, SetLimit } from '../../pacing/rules/named-limits.ts'
import type { Pacing } from '../../pacing/rules/pacing.ts'
import { SET_FOR } from '../../upstreams/queries/upstream-limits.ts'
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
    ) r where r.ok + r.degraded + r.failed > 0 and ${sql.unsafe(isFirstRun('r'))}
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

/** A version of an agent, with what its items are limited by before anything is called. */
export interface OwnDeployment {
  id: string
  version: number
  url: string | null
  limits: NamedLimits[] | null
}

/** The latest versions of an agent, the given one among them in any case. */
export function listOwnDeployments(
  sql: Sql,
  { project_id, agent_id, deployment_id }: { project_id: string; agent_id: string; deployment_id: string },
): Promise<OwnDeployment[]> {
  return sql<OwnDeployment[]>`
    select id, version, url, declaration->'limits' as limits from deployments
    where project_id = ${project_id} and agent_id = ${agent_id}
    order by id <> ${deployment_id}, version desc limit ${LIMITS.upstream_deployments}`
}

/** Something that items of an agent need. */
export interface NeededRow {
  id: string
  kind: UpstreamKind
  host: string
  label: string | null
  model: string
  state: UpstreamState
  words: string
  next_ms: number | null
  pacing: Pacing | null
  deployments: string[]
  /** What people set for it, with what schedules carry whose runs are at work. */
  declared: SetLimit[]
  now_ms: number
}

export interface NeededBy {
  project_id: string
  /** Those whose providers are read. */
  deployments: readonly string[]
  /** What is counted for a declaration. */
  ids: readonly string[]
  /** The agent's own, which may be limited before it is called. */
  address: { id: string; host: string } | null
}

/** The providers that deployments of an agent call, what is counted for its own limits, and its address. */
export function listNeeded(
  sql: Sql,
  { project_id, deployments, ids, address }: NeededBy,
): Promise<NeededRow[]> {
  const { id = null, host = null } = address ?? {}
  const nextOf = (row: 'u' | 'a') => sql`
    (extract(epoch from ${sql(row)}.next_at - now()) * 1000)::float8 as next_ms,
    (extract(epoch from now()) * 1000)::float8 as now_ms`
  return sql<NeededRow[]>`
    (select u.id, u.kind, u.host, u.label, u.model, u.state, u.words, u.pacing, u.deployments, ${nextOf('u')},
      ${sql.unsafe(SET_FOR)} as declared
    from upstreams u
    where u.project_id = ${project_id} and (u.id = any(${[...ids]}::uuid[]) or u.agent_id is null and u.kind = 'credential'
      and u.deployments && ${[...deployments]}::uuid[] and (u.pacing is not null or u.state <> 'open'))
    order by u.agent_id is null, u.used_at desc limit ${LIMITS.upstreams_per_project})
    union all
    select u.id, 'agent', u.host, null, '', coalesce(a.state, 'open'), coalesce(a.words, ''), a.pacing,
      coalesce(a.deployments, '{}'), ${nextOf('a')}, ${sql.unsafe(SET_FOR)} as declared
    from (select ${project_id}::uuid as project_id, ${id}::uuid as id, ${host}::text as host, null::text as label) u
      left join upstreams a on a.project_id = ${project_id} and a.id = u.id
    where u.id is not null`
}
