// Reads and writes agents. An agent's configuration has its own version, which every update bumps.
//
// Drizzle describes and plans a statement again each time unless it is prepared, which costs a round trip and more than
// the read itself. The reads that come before a submission are prepared: their text is always the same.

import { and, asc, eq, getTableColumns, gt, isNull, sql } from 'drizzle-orm'
import { placesOf } from '../../accounts/queries/projects.ts'
import { projects, projectUsage } from '../../accounts/tables/projects.ts'
import type { AgentRow } from '../../accounts/wire/account.ts'
import type { Database } from '../../context.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { budgetColumns } from '../../prices/queries/budgets.ts'
import { agents, deployments } from '../tables/agents.ts'

interface Wanted {
  account_id: string
  /** Null for all projects of the account. */
  project_id: string | null
  /** Whether to read their configurations, which are {} otherwise. */
  configured: boolean
}

export interface AgentChanges {
  name?: string | undefined
  description?: string | undefined
  config?: Record<string, unknown> | undefined
}

function selectAgents(db: Database, configured = true, project?: string) {
  return db
    .select({
      ...getTableColumns(agents),
      config: configured ? sql<string>`${agents.config}::text` : sql<string>`'{}'`,
      deployed_version: deployments.version,
      ...budgetColumns(sql`${agents.id}`, project === undefined ? undefined : sql`${project}::uuid`),
    })
    .from(agents)
    .innerJoin(projects, eq(projects.id, agents.project_id))
    .innerJoin(
      projectUsage,
      and(
        eq(projectUsage.project_id, agents.project_id),
        project === undefined ? undefined : eq(projectUsage.project_id, project),
      ),
    )
    .leftJoin(
      deployments,
      and(eq(deployments.project_id, agents.project_id), eq(deployments.id, agents.current_deployment_id)),
    )
}

/** The next agents of an account, or of one project of it, oldest first. */
function nextAgents(
  db: Database,
  { account_id, project_id, configured }: Wanted,
  after: string,
): Promise<AgentRow[]> {
  return selectAgents(db, configured, project_id ?? undefined)
    .where(
      and(
        isNull(agents.deleted_at),
        eq(projects.account_id, account_id),
        project_id === null ? undefined : eq(agents.project_id, project_id),
        gt(agents.id, after),
      ),
    )
    .orderBy(asc(agents.id))
    .limit(chunkOf({ configured }))
}

const chunkOf = ({ configured }: Pick<Wanted, 'configured'>) =>
  configured ? LIMITS.agents_chunk : LIMITS.bare_agents_chunk

/** Yields all of them in chunks, none of them empty. `read` runs the query of each chunk and may add to its rows. */
export async function* agentsInChunks<T extends { id: string }>(
  wanted: Wanted,
  read: (next: (db: Database) => Promise<AgentRow[]>) => Promise<T[]>,
): AsyncGenerator<T[]> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await read(db => nextAgents(db, wanted, after))
    if (rows.length > 0) yield rows
    if (rows.length < chunkOf(wanted)) return
    after = rows.at(-1)!.id
  }
}

/** `own` is the only project that the caller may see; null if it may see all of the account. */
export async function findAgent(
  db: Database,
  account_id: string,
  id: string,
  own: string | null,
): Promise<AgentRow | undefined> {
  const isIt = and(isNull(agents.deleted_at), eq(projects.account_id, account_id), eq(agents.id, id))
  for (const place of placesOf(own)) {
    const [row] = await selectAgents(db, true, place)
      .where(place === undefined ? isIt : and(eq(agents.project_id, place), isIt))
      .prepare(place === undefined ? 'agent' : 'agent_of_project')
      .execute()
    if (row !== undefined) return row
  }
  return undefined
}

export async function findAgentBySlug(
  db: Database,
  account_id: string,
  project_id: string,
  slug: string,
): Promise<AgentRow | undefined> {
  const isIt = and(
    isNull(agents.deleted_at),
    eq(projects.account_id, account_id),
    eq(agents.project_id, project_id),
    eq(agents.slug, slug),
  )
  const [row] = await selectAgents(db, true, project_id).where(isIt).prepare('agent_by_slug').execute()
  return row
}

/** False when the project already has the slug. */
export async function insertAgent(db: Database, agent: typeof agents.$inferInsert): Promise<boolean> {
  const rows = await db.insert(agents).values(agent).onConflictDoNothing().returning({ id: agents.id })
  return rows.length === 1
}

/** Marks it as deleted: no read finds it any more, and its slug is free. */
export async function markAgentDeleted(db: Database, key: AgentKey): Promise<void> {
  await db.update(agents).set({ deleted_at: sql`now()` }).where(isAgent(key))
}

export const isAgent = ({ project_id, agent_id }: AgentKey) =>
  and(eq(agents.project_id, project_id), eq(agents.id, agent_id))

export async function updateAgent(db: Database, key: AgentKey, changes: AgentChanges): Promise<void> {
  const { name, description, config } = changes
  await db
    .update(agents)
    .set({
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(config !== undefined && { config }),
      config_version: sql`${agents.config_version} + 1`,
      updated_at: sql`now()`,
    })
    .where(isAgent(key))
}
