// Reads and adds the versions of code that answers named. Guarantee: a deployment has at most LIMITS.code_versions, each
// name once, and a number never changes what it stands for.

import { and, asc, eq, sql } from 'drizzle-orm'
import type { Database, Sql } from '../../context.ts'
import type { CodeVersionRow } from '../../items/wire/code-versions.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { codeVersions } from '../tables/agents.ts'

export interface DeploymentKey extends AgentKey {
  deployment_id: string
}

/** Those of a deployment, in the order in which they were first seen. */
export function listCodeVersions(db: Database, { project_id, deployment_id }: DeploymentKey) {
  return db
    .select({ no: codeVersions.no, name: codeVersions.name })
    .from(codeVersions)
    .where(and(eq(codeVersions.project_id, project_id), eq(codeVersions.deployment_id, deployment_id)))
    .orderBy(asc(codeVersions.no))
    .limit(LIMITS.code_versions)
}

/**
 * Adds names that are not there yet, as many as there is room for. Of two that add at once to one agent, only one has
 * the next number: a name may still be missing afterwards, and is to be added again.
 */
export async function addCodeVersions(
  db: Database,
  { project_id, agent_id, deployment_id }: DeploymentKey,
  names: readonly string[],
): Promise<void> {
  const ofAgent = sql`project_id = ${project_id} and agent_id = ${agent_id}`
  await db.execute(sql`
    insert into code_versions (project_id, agent_id, no, deployment_id, name)
    select ${project_id}::uuid, ${agent_id}::uuid, known.last + n.no, ${deployment_id}::uuid, n.name
    from jsonb_array_elements_text(${JSON.stringify(names)}::text::jsonb) with ordinality as n(name, no),
      (select coalesce(max(no), 0) as last, count(*) filter (where deployment_id = ${deployment_id}) as count
        from code_versions where ${ofAgent}) known
    where known.count + n.no <= ${LIMITS.code_versions}
    on conflict do nothing`)
}

/** What items of the agent's latest runs came to, by the versions of its current deployment: the newest version first. */
export const sumCodeVersions = (sql: Sql, { project_id, agent_id, deployment_id }: DeploymentKey) => sql<
  (CodeVersionRow & { created_at: Date })[]
>`
  with latest as materialized (
    select id from runs where project_id = ${project_id} and agent_id = ${agent_id}
    order by id desc limit ${LIMITS.code_version_runs}
  ), counted as materialized (
    select r.code_version, sum(r.ok)::int as ok, sum(r.degraded)::int as degraded, sum(r.failed)::int as failed,
      sum(r.cost_micro)::bigint as cost_micro
    from latest l join run_versions r on r.project_id = ${project_id} and r.run_id = l.id group by 1
  )
  select v.name, v.created_at, coalesce(c.ok, 0) as ok, coalesce(c.degraded, 0) as degraded,
    coalesce(c.failed, 0) as failed, coalesce(c.cost_micro, 0)::bigint as cost_micro
  from code_versions v left join counted c on c.code_version = v.no
  where v.project_id = ${project_id} and v.deployment_id = ${deployment_id}
  order by v.no desc limit ${LIMITS.code_versions}`
