// Reads and adds deployments and the bundles they run. Rows never change; the agent's pointer says which is current.

import { and, desc, eq, getTableColumns, isNull, lt, sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { Sized } from '../../kernel/page-bytes.ts'
import { END_WAIT } from '../../upstreams/queries/upstreams.ts'
import { agentHost } from '../../upstreams/rules/upstream.ts'
import { agents, bundles, deployments } from '../tables/agents.ts'
import type { DeploymentRow } from '../wire/deploy.ts'
import { isAgent } from './agents.ts'

export type NewDeployment = Omit<typeof deployments.$inferInsert, 'version' | 'agent_host'>

const { agent_host: _, ...SHOWN } = getTableColumns(deployments)
const DEPLOYMENT = {
  ...SHOWN,
  is_current: sql<boolean>`${deployments.id} is not distinct from ${agents.current_deployment_id}`,
}
const ofItsAgent = and(eq(agents.project_id, deployments.project_id), eq(agents.id, deployments.agent_id))
const selectDeployments = (db: Database) =>
  db.select(DEPLOYMENT).from(deployments).innerJoin(agents, ofItsAgent)

const isOf = ({ project_id, agent_id }: AgentKey) =>
  and(eq(deployments.project_id, project_id), eq(deployments.agent_id, agent_id))

export interface DeploymentFilter {
  external_id?: string | undefined
  before_version?: number | undefined
  limit: number
}

const DECLARED_BYTES = sql<number>`octet_length(${deployments.declaration}::text)`

/** An agent's deployments, newest first, as many as begin within LIMITS.page_bytes. */
export async function listDeployments(
  db: Database,
  agent: AgentKey,
  { external_id, before_version, limit }: DeploymentFilter,
): Promise<(DeploymentRow & Sized)[]> {
  // The limit keeps PostgreSQL from serialising each declaration again wherever its length is used.
  const sized = db
    .select({ id: deployments.id, version: deployments.version, bytes: DECLARED_BYTES.as('bytes') })
    .from(deployments)
    .where(
      and(
        isOf(agent),
        external_id === undefined ? undefined : eq(deployments.external_id, external_id),
        before_version === undefined ? undefined : lt(deployments.version, before_version),
      ),
    )
    .orderBy(desc(deployments.version))
    .limit(limit)
    .as('sized')
  const before = sql<number>`sum(${sized.bytes}) over (order by ${sized.version} desc) - ${sized.bytes}`
  const found = db
    .select({ id: sized.id, bytes: sized.bytes, bytes_before: before.as('bytes_before') })
    .from(sized)
    .as('found')
  return db
    .select({ ...DEPLOYMENT, bytes: found.bytes })
    .from(found)
    .innerJoin(deployments, and(eq(deployments.project_id, agent.project_id), eq(deployments.id, found.id)))
    .innerJoin(agents, ofItsAgent)
    .where(lt(found.bytes_before, LIMITS.page_bytes))
    .orderBy(desc(deployments.version))
}

/** The deployment that the agent's next run executes; undefined if there is none. */
export async function findCurrentDeployment(
  db: Database,
  agent: AgentKey,
): Promise<DeploymentRow | undefined> {
  const [row] = await selectDeployments(db).where(
    and(isOf(agent), eq(deployments.id, agents.current_deployment_id)),
  )
  return row
}

/** The version that a new deployment of the agent gets. */
export async function findNextVersion(db: Database, agent: AgentKey): Promise<number> {
  const [row] = await db
    .select({ version: sql<number>`coalesce(max(${deployments.version}), 0) + 1` })
    .from(deployments)
    .where(isOf(agent))
  return Number(row!.version)
}

export async function findDeployment(
  db: Database,
  agent: AgentKey,
  id: string,
): Promise<DeploymentRow | undefined> {
  const [row] = await selectDeployments(db).where(and(isOf(agent), eq(deployments.id, id)))
  return row
}

/** Earlier versions that equal a new one in all but the sealed environment: the current one first, then the newest. */
export function findSame(db: Database, given: NewDeployment): Promise<DeploymentRow[]> {
  const same = (
    column: typeof deployments.url | typeof deployments.bundle_hash,
    value: string | null | undefined,
  ) => (value == null ? isNull(column) : eq(column, value))
  return selectDeployments(db)
    .where(
      and(
        isOf(given),
        eq(deployments.kind, given.kind),
        eq(deployments.protocol, given.protocol ?? 'ndjson'),
        same(deployments.url, given.url),
        same(deployments.bundle_hash, given.bundle_hash),
        sql`${deployments.declaration} = ${JSON.stringify(given.declaration)}::text::jsonb`,
      ),
    )
    .orderBy(desc(DEPLOYMENT.is_current), desc(deployments.version))
    .limit(LIMITS.deployments_compared)
}

/** Makes other deploys of the agent wait until this transaction ends; its runs may start meanwhile. */
export async function lockAgent(db: Database, agent: AgentKey): Promise<void> {
  await db.select({ id: agents.id }).from(agents).where(isAgent(agent)).for('no key update')
}

/** Appends the agent's next version; its agent must be locked. */
export async function insertDeployment(db: Database, given: NewDeployment): Promise<void> {
  const agent_host = given.url == null ? null : agentHost(given.url)
  await db.insert(deployments).values({ ...given, agent_host, version: await findNextVersion(db, given) })
}

/** False if the code is stored already: then its row is locked, so that it stays until the transaction ends. */
export async function insertBundle(db: Database, bundle: { hash: string; code: string }): Promise<boolean> {
  const [row] = await db
    .insert(bundles)
    .values(bundle)
    .onConflictDoUpdate({ target: bundles.hash, set: { created_at: sql`excluded.created_at` } })
    .returning({ is_new: sql<boolean>`xmax = 0` })
  return row!.is_new
}

/** Points the agent at a deployment of its own. */
export async function setCurrentDeployment(db: Database, agent: AgentKey, id: string): Promise<void> {
  await db.update(agents).set({ current_deployment_id: id, updated_at: sql`now()` }).where(isAgent(agent))
}

/**
 * Gives runs that wait for an upstream the values of a deployment that differs from theirs in values alone, and offers their
 * items again: what refused the old value may take the new one.
 */
export async function giveValues(db: Database, { project_id, agent_id, id }: DeploymentRow): Promise<void> {
  const runs = await db.execute<{ id: string }>(sql`
    select r.id from runs r
      join deployments d on d.project_id = ${project_id} and d.id = r.deployment_id
      join deployments n on n.project_id = ${project_id} and n.id = ${id}
    where r.project_id = ${project_id} and r.agent_id = ${agent_id} and r.waits_for is not null and r.finished_at is null
      and d.id <> n.id and d.kind = n.kind and d.protocol = n.protocol and d.url is not distinct from n.url
      and d.bundle_hash is not distinct from n.bundle_hash and d.declaration = n.declaration
    order by r.id limit ${LIMITS.open_runs_per_look}`)
  for (const run of runs) {
    await db.execute(sql`
      update due_items set due_at = now()
      where project_id = ${project_id} and run_id = ${run.id} and due_at = 'infinity'`)
    await db.execute(sql`
      update runs set deployment_id = ${id}, ${sql.raw(END_WAIT)}
      where project_id = ${project_id} and id = ${run.id} and finished_at is null`)
  }
}
