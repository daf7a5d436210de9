// The place of each table on a Citus cluster. Guarantee: every table has exactly one place, or type checking fails.

import type { PgTable } from 'drizzle-orm/pg-core'
import type * as tables from '../../shared/tables.ts'

type Tables = typeof tables
export type TableName = {
  [K in keyof Tables]: Tables[K] extends PgTable ? Tables[K]['_']['name'] : never
}[keyof Tables]

/**
 * `distributed`: tables of projects; each project's rows are together on one node. `reference`: tables unique over all
 * projects, or that decide who may see which, and are rarely written; each node has a full copy. `local`: tables on the
 * coordinator only.
 */
export type Place = 'distributed' | 'reference' | 'local'

/** The places, in the order of placing: the table that decides a project's node comes first among distributed ones. */
export const PLACES: Record<TableName, Place> = {
  accounts: 'reference',
  installation: 'reference',
  projects: 'reference',
  members: 'reference',
  api_keys: 'reference',

  project_usage: 'distributed',
  agents: 'distributed',
  deployments: 'distributed',
  code_versions: 'distributed',
  triggers: 'distributed',
  prices: 'distributed',
  saved_views: 'distributed',
  alert_settings: 'distributed',
  alert_channels: 'distributed',
  signing_secrets: 'distributed',
  runs: 'distributed',
  items: 'distributed',
  run_versions: 'distributed',
  attempts: 'distributed',
  claims: 'distributed',
  due_items: 'distributed',
  upstream_limits: 'distributed',
  upstreams: 'distributed',
  idempotency_keys: 'distributed',
  schedules: 'distributed',
  deadlines: 'distributed',
  occurrences: 'distributed',
  source_reads: 'distributed',
  alerts: 'distributed',
  alert_marks: 'distributed',
  ended_runs: 'distributed',
  deliveries: 'distributed',
  delivery_tries: 'distributed',
  budgets: 'distributed',
  spending: 'distributed',
  model_calls: 'distributed',
  recoveries: 'distributed',
  replays: 'distributed',
  triage: 'distributed',
  failure_clusters: 'distributed',
  causes: 'distributed',
  cause_runs: 'distributed',
  cause_days: 'distributed',
  verdict_days: 'distributed',
  suspected_items: 'distributed',
  steps: 'distributed',
  step_index: 'distributed',
  unindexed_steps: 'distributed',
  run_step_errors: 'distributed',
  project_step_errors: 'distributed',
  purges: 'distributed',

  bundles: 'local',
  sessions: 'local',
  audit_log: 'local',
}

export const TABLES = Object.keys(PLACES) as TableName[]
export const tablesAt = (place: Place): TableName[] => TABLES.filter(table => PLACES[table] === place)

/** The distribution column: it decides a row's node, the same for all rows of a project. */
export const BY = 'project_id'
/** The table that the others are colocated with. */
export const FIRST: TableName = 'project_usage'
