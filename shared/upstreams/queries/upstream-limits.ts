// All SQL about limits of upstreams that people set. Guarantee: a project has a bounded number of them.

import { and, eq, sql as raw } from 'drizzle-orm'
import { projects } from '../../accounts/tables/projects.ts'
import type { Database, Sql } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { DeclaredLimits } from '../../pacing/rules/declared-limits.ts'
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

/** A limit, with the deployments whose agents have that address. */
export interface ProjectLimit extends LimitName {
  limits: DeclaredLimits
  deployments: string[]
}

/** The limits of projects that are at work. */
export function findProjectLimits(sql: Sql, project_ids: readonly string[]) {
  return sql<ProjectLimit[]>`
    select l.project_id, l.host, l.label, l.limits, array(
      -- A provider's host has no slash: for it no deployment is read, however many a project has.
      select v.id from deployments v where l.host like '%/%' and v.project_id = l.project_id and split_part(split_part(v.url, '?', 1), '#', 1) = l.host
      order by v.id desc limit ${LIMITS.upstream_deployments}) as deployments
    from upstream_limits l where l.project_id = any(${[...project_ids]}::uuid[])
    limit ${LIMITS.upstream_limits_per_project * project_ids.length}`
}
