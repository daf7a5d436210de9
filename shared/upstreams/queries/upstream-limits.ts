// All SQL about limits of upstreams that people set. Guarantee: a project has a bounded number of them.

import { and, eq, sql as raw } from 'drizzle-orm'
import { projects } from '../../accounts/tables/projects.ts'
import type { Database, Sql } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { SetLimit } from '../../pacing/rules/named-limits.ts'
import { upstreamLimits } from '../tables/upstream-limits.ts'

export type LimitRow = typeof upstreamLimits.$inferSelect

/** The upstreams that a limit counts for. */
export interface LimitName {
  project_id: string
  host: string
  /** Empty for all credentials of the host. */
  label: string
}

const named = ({ project_id, host, label }: LimitName) =>
  and(
    eq(upstreamLimits.project_id, project_id),
    eq(upstreamLimits.host, host),
    eq(upstreamLimits.label, label),
  )

export async function findLimits(db: Database, name: LimitName): Promise<LimitRow | undefined> {
  const [row] = await db.select().from(upstreamLimits).where(named(name))
  return row
}

/** @throws ApiError `too_many_limits` */
export async function setLimits(db: Database, name: LimitName, row: Omit<LimitRow, keyof LimitName>) {
  // Those who add limits to a project take turns, so that together they add no more than it may have.
  await db
    .select({ id: projects.id })
    .from(projects)
    .where(eq(projects.id, name.project_id))
    .for('no key update')
  const [{ others } = { others: 0 }] = await db
    .select({ others: raw<number>`count(*)::int` })
    .from(upstreamLimits)
    .where(and(eq(upstreamLimits.project_id, name.project_id), raw`not (${named(name)})`))
  if (others >= LIMITS.upstream_limits_per_project)
    throw new ApiError(
      'too_many_limits',
      `limits can be set for ${LIMITS.upstream_limits_per_project} upstreams of a project at most: unset one first`,
    )
  const { limits, set_at } = row
  await db
    .insert(upstreamLimits)
    .values({ ...name, ...row })
    .onConflictDoUpdate({
      target: [upstreamLimits.project_id, upstreamLimits.host, upstreamLimits.label],
      set: { limits, set_at },
    })
}

export async function unsetLimits(db: Database, name: LimitName): Promise<void> {
  await db.delete(upstreamLimits).where(named(name))
}

/** The limits of schedules whose runs are at work. */
const OF_SCHEDULES = `select s.project_id, s.id, e->>'host' as host, coalesce(e->>'credential', '') as label,
    e - 'host' - 'credential' as limits, 'schedule' as of
  from schedules s cross join jsonb_array_elements(s.limits) e
  where s.limits is not null and exists (
    select from runs r join occurrences o on o.project_id = r.project_id and o.run_id = r.id
    where r.project_id = s.project_id and r.finished_at is null and o.schedule_id = s.id)`

const OF_PROJECT = `select l.project_id, l.id, l.host, l.label, l.limits, 'project' as of from upstream_limits l where true`

/** All that people set which counts for the upstream `u`, each a `SetLimit`. */
export const SET_FOR = `array(
    select jsonb_build_object('id', l.id, 'of', l.of, 'label', l.label, 'limits', l.limits)
    from (${OF_PROJECT} and l.project_id = u.project_id union all ${OF_SCHEDULES} and s.project_id = u.project_id) l
    where l.host = u.host and l.label in ('', coalesce(u.label, '')))`

/** A limit, with the deployments whose agents have that address. */
export interface ProjectLimit extends LimitName, SetLimit {
  deployments: string[]
}

/** The limits of projects that are at work. */
export const findProjectLimits = (sql: Sql, project_ids: readonly string[]): Promise<ProjectLimit[]> =>
  sql<ProjectLimit[]>`
    select l.project_id, l.id, l.host, l.label, l.limits, l.of, array(
      select v.id from deployments v where v.project_id = l.project_id and v.agent_host = l.host
      order by v.id desc limit ${LIMITS.upstream_deployments}) as deployments
    from (${sql.unsafe(OF_PROJECT)} and l.project_id = any(${[...project_ids]}::uuid[])
      union all ${sql.unsafe(OF_SCHEDULES)} and s.project_id = any(${[...project_ids]}::uuid[])) l
    limit ${2 * LIMITS.upstream_limits_per_project * project_ids.length}`
