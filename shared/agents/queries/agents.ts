// Agents. Their configuration has a version of its own, bumped by every update.
//
// Drizzle describes and plans a statement anew each time unless it is prepared, which costs a round trip and more than
// the read itself. Prepared are reads that come before a submission: their text is always the same.

import { and, asc, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import { projects, projectUsage } from '../../accounts/tables/projects.ts'
import type { AgentRow } from '../../accounts/wire/account.ts'
import type { Database } from '../../context.ts'
import { budgetColumns } from '../../prices/queries/budgets.ts'
import { agents, deployments } from '../tables/agents.ts'

export interface AgentChanges {
  name?: string | undefined
  description?: string | undefined
  config?: Record<string, unknown> | undefined
}

function selectAgents(db: Database) {
  return db
    .select({
      ...getTableColumns(agents),
      deployed_version: deployments.version,
      ...budgetColumns(sql`${agents.id}`),
    })
    .from(agents)
    .innerJoin(projects, eq(projects.id, agents.project_id))
    .innerJoin(projectUsage, eq(projectUsage.project_id, projects.id))
    .leftJoin(deployments, eq(deployments.id, agents.current_deployment_id))
}

/** The agents of an account, or of one project of it, oldest first. */
export function listAgents(db: Database, account_id: string, project_id: string | null): Promise<AgentRow[]> {
  return selectAgents(db)
    .where(
      and(
        isNull(agents.deleted_at),
        eq(projects.account_id, account_id),
        project_id === null ? undefined : eq(agents.project_id, project_id),
      ),
    )
    .orderBy(asc(agents.id))
}

export async function findAgent(db: Database, account_id: string, id: string): Promise<AgentRow | undefined> {
  const [row] = await selectAgents(db)
    .where(and(isNull(agents.deleted_at), eq(projects.account_id, account_id), eq(agents.id, id)))
    .prepare('agent')
    .execute()
  return row
}

export async function findAgentBySlug(
  db: Database,
  account_id: string,
  project_id: string,
  slug: string,
): Promise<AgentRow | undefined> {
  const [row] = await selectAgents(db)
    .where(
      and(
        isNull(agents.deleted_at),
        eq(projects.account_id, account_id),
        eq(agents.project_id, project_id),
        eq(agents.slug, slug),
      ),
    )
    .prepare('agent_by_slug')
    .execute()
  return row
}

/** False when the project already has the slug. */
export async function insertAgent(db: Database, agent: typeof agents.$inferInsert): Promise<boolean> {
  const rows = await db.insert(agents).values(agent).onConflictDoNothing().returning({ id: agents.id })
  return rows.length === 1
}

/** From now on nobody finds it; its slug is free. */
export async function markAgentDeleted(db: Database, id: string): Promise<void> {
  await db.update(agents).set({ deleted_at: sql`now()` }).where(eq(agents.id, id))
}

export async function updateAgent(db: Database, id: string, changes: AgentChanges): Promise<void> {
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
    .where(eq(agents.id, id))
}
