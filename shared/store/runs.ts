// Reads of runs. An account's runs are found through its projects; newest first is by id, which holds the time.

import { and, desc, eq, getTableColumns, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import type { Database } from '../context.ts'
import type { RunState } from '../domain/vocabulary.ts'
import { agents, deployments, items, projects, runs } from '../schema/tables.ts'
import type { RunRow } from '../schema/wire.ts'

export interface RunFilter {
  account_id: string
  project_id: string | null
  agent?: string | undefined
  item_id?: string | undefined
  state?: RunState | undefined
  before_id?: string | undefined
  limit: number
}

function selectRuns(db: Database) {
  return db
    .select({ ...getTableColumns(runs), agent_slug: agents.slug, deployment_version: deployments.version })
    .from(runs)
    .innerJoin(projects, eq(projects.id, runs.project_id))
    .innerJoin(agents, eq(agents.id, runs.agent_id))
    .leftJoin(deployments, eq(deployments.id, runs.deployment_id))
}

const STATES = { open: isNull, ended: isNotNull }

export function listRuns(db: Database, filter: RunFilter): Promise<RunRow[]> {
  const touched = db
    .select({ id: items.run_id })
    .from(items)
    .where(eq(items.item_id, filter.item_id ?? ''))
  return selectRuns(db)
    .where(
      and(
        eq(projects.account_id, filter.account_id),
        filter.project_id === null ? undefined : eq(runs.project_id, filter.project_id),
        filter.agent === undefined ? undefined : eq(agents.slug, filter.agent),
        filter.item_id === undefined ? undefined : sql`${runs.id} in ${touched}`,
        filter.state === undefined ? undefined : STATES[filter.state](runs.finished_at),
        filter.before_id === undefined ? undefined : lt(runs.id, filter.before_id),
      ),
    )
    .orderBy(desc(runs.id))
    .limit(filter.limit)
}

export async function findRun(db: Database, account_id: string, id: string): Promise<RunRow | undefined> {
  const [row] = await selectRuns(db).where(and(eq(projects.account_id, account_id), eq(runs.id, id)))
  return row
}
