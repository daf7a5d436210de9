// All SQL about how fast items that need an upstream begin. Guarantee: a turn is taken under the row's lock, so that all
// processes together begin no more than its limits allow; a process that dies takes with it what it was given for one turn.

import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { Asking } from '../../pacing/rules/declared-pace.ts'
import { inForce, limitsIn, type SetLimit } from '../../pacing/rules/named-limits.ts'
import {
  isBound,
  type Pacing,
  paceTurn,
  rateOf,
  roomOf,
  startPacing,
  type Turn,
} from '../../pacing/rules/pacing.ts'
import type { ReportedLimit } from '../../pacing/vocabulary.ts'
import type { UpstreamName } from '../rules/upstream.ts'
import type { Paced } from '../rules/upstream-words.ts'
import { SET_FOR } from './upstream-limits.ts'

/** Limits that an answer reported, by how long ago its call began and it came. */
export interface AgedReport extends ReportedLimit {
  began_ago_ms: number
  ago_ms: number
}

export interface ItemsTurn extends Omit<Turn, 'now_ms' | 'declared' | 'reports'> {
  reports: readonly AgedReport[]
  ended: number
  of_ended: Asking
  deployments: readonly string[]
}

export interface TakenTurn {
  permits: number
  /** Whether items that need it have to ask. */
  is_bound: boolean
}

type Limited = UpstreamName & { id: string; label: string | null }

/** Takes a turn at an upstream, for one process. */
export async function takeTurn(sql: Sql, upstream: Limited, turn: ItemsTurn): Promise<TakenTurn> {
  return sql.begin(async tx => {
    const own = tx as unknown as Sql
    const row = (await lock(own, upstream)) ?? (await add(own, upstream))
    if (row === undefined) return { permits: turn.wants, is_bound: false }
    const { now_ms, deployments } = row
    const pacing = row.pacing ?? startPacing(now_ms)
    const reports = turn.reports.map(({ began_ago_ms, ago_ms, ...limit }) => ({
      ...limit,
      began_ms: now_ms - began_ago_ms,
      at_ms: now_ms - ago_ms,
    }))
    const permits = paceTurn(pacing, {
      ...turn,
      now_ms,
      declared: upstream.agent_id ? limitsIn(upstream.key) : inForce(row.declared),
      reports,
      wants: row.is_open ? turn.wants : 0,
    })
    const known = [...new Set([...turn.deployments, ...deployments])].slice(0, LIMITS.upstream_deployments)
    await own`
      update upstreams set pacing = ${own.json(pacing as never)}, deployments = ${known}::uuid[], used_at = now()
      where project_id = ${upstream.project_id} and id = ${upstream.id}`
    // Only what tries it begins while it is closed, and needs no permit for that.
    return {
      permits,
      is_bound: row.is_open && isBound(pacing, now_ms),
    }
  }) as Promise<TakenTurn>
}

interface Row {
  pacing: Pacing | null
  deployments: string[]
  is_open: boolean
  now_ms: number
  /** What people set for it, and for its host. */
  declared: SetLimit[]
}

async function lock(sql: Sql, { project_id, id }: Limited): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`
    select u.pacing, u.deployments, u.state = 'open' as is_open, (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
      ${sql.unsafe(SET_FOR)} as declared
    from upstreams u where u.project_id = ${project_id} and u.id = ${id} for update`
  return row
}

/** Undefined if the project has as many upstreams as it may; what is declared, and agents' addresses, have bounds of their own. */
async function add(sql: Sql, upstream: Limited): Promise<Row | undefined> {
  const { project_id, id, kind, host, key, model, deployment_id, agent_id = null, label } = upstream
  await sql`
    insert into upstreams (project_id, id, kind, host, key, model, deployment_id, agent_id, label, state, since, words, used_at)
    select ${project_id}, ${id}, ${kind}, ${host}, ${key}, ${model}, ${deployment_id}, ${agent_id}, ${label}, 'open', now(), '', now()
    where ${kind === 'agent' || agent_id !== null} or (select count(*) from (
      select from upstreams where project_id = ${project_id} and kind = 'credential' and agent_id is null limit ${2 * LIMITS.upstreams_per_project}) n)
      < ${2 * LIMITS.upstreams_per_project}
    on conflict do nothing`
  return lock(sql, upstream)
}

/** An upstream that items of some deployments need, and have to ask for. */
export interface PacedRow extends Limited {
  deployments: string[]
}

/** Upstreams whose pace is known, with the deployments that call them; what a declaration limits is known with its runs. */
export function findPaced(sql: Sql, project_ids: readonly string[]) {
  return sql<PacedRow[]>`
    select project_id, id, kind, host, key, model, deployment_id, label, deployments
    from upstreams where project_id = any(${project_ids}::uuid[]) and pacing is not null and agent_id is null
    order by used_at desc limit ${2 * LIMITS.upstreams_per_project * project_ids.length}`
}

/** The upstream by whose limits fewest items of a deployment may begin; null if none holds them back. */
export async function findPace(sql: Sql, project_id: string, deployment_id: string): Promise<Paced | null> {
  const rows = await sql<{ host: string; label: string | null; pacing: Pacing; now_ms: number }[]>`
    select host, label, pacing, (extract(epoch from now()) * 1000)::float8 as now_ms from upstreams
    where project_id = ${project_id} and ${deployment_id} = any(deployments) and state = 'open' and pacing is not null
    order by used_at desc limit ${LIMITS.upstreams_per_deployment + LIMITS.named_limits + 1}`
  const paced = rows.flatMap(({ host, label, pacing, now_ms }) => {
    const isUsedUp = roomOf(pacing, now_ms) < 1
    const per_second = isUsedUp ? 0 : rateOf(pacing, now_ms)
    return per_second === null ? [] : [{ host, label, per_second }]
  })
  return paced.toSorted((a, b) => a.per_second - b.per_second)[0] ?? null
}
