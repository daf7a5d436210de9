// Reads of runs. An account's runs are found through its projects; newest first is by id, which holds the time.

import { and, desc, eq, getTableColumns, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import type { Database, Sql } from '../context.ts'
import type { RunState, RunStatus, StopReason } from '../domain/vocabulary.ts'
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

/** A run that has ended, as its trace tells it. */
export interface EndedRun {
  project_id: string
  agent_id: string
  agent_slug: string
  status: RunStatus
  stop_reason: StopReason | null
  created_ms: number
  finished_ms: number
  total_items: number
  ok: number
  degraded: number
  failed: number
  budget_exceeded: number
  cost_micro: number
  input_tokens: number
  output_tokens: number
}

/** Undefined while it has not ended. */
export async function findEndedRun(sql: Sql, id: string): Promise<EndedRun | undefined> {
  const [row] = await sql<EndedRun[]>`
    select r.project_id, r.agent_id, a.slug as agent_slug, r.status, r.stop_reason, r.total_items, r.ok, r.degraded,
      r.failed, r.budget_exceeded, r.cost_micro, r.input_tokens, r.output_tokens,
      extract(epoch from r.created_at)::float8 * 1000 as created_ms,
      extract(epoch from r.finished_at)::float8 * 1000 as finished_ms
    from runs r join agents a on a.id = r.agent_id where r.id = ${id} and r.finished_at is not null`
  return row
}
