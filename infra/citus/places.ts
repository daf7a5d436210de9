// Where the rows of each table lie on a cluster of Citus. Guarantee: every table has one place, or the types fail.

import type { PgTable } from 'drizzle-orm/pg-core'
import type * as tables from '../../shared/tables.ts'

type Tables = typeof tables
export type TableName = {
  [K in keyof Tables]: Tables[K] extends PgTable ? Tables[K]['_']['name'] : never
}[keyof Tables]

/**
 * `distributed`: what is written as work goes on, each project's rows together on one node. `reference`: what is unique over
 * all projects, or read beside every project's rows and seldom written; each node has all of it. `local`: the
 * coordinator's alone.
 */
export type Place = 'distributed' | 'reference' | 'local'

/** In this order they are placed: what decides the node of a project comes first. */
export const PLACES: Record<TableName, Place> = {
  accounts: 'reference',
  installation: 'reference',
  projects: 'reference',
  members: 'reference',
  api_keys: 'reference',
  bundles: 'reference',
  agents: 'reference',
  deployments: 'reference',
  triggers: 'reference',
  schedules: 'reference',
  deadlines: 'reference',
  prices: 'reference',
  saved_views: 'reference',
  alert_settings: 'reference',
  alert_channels: 'reference',
  signing_secrets: 'reference',

  project_usage: 'distributed',
  runs: 'distributed',
  items: 'distributed',
  attempts: 'distributed',
  claims: 'distributed',
  due_items: 'distributed',
  idempotency_keys: 'distributed',
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

  sessions: 'local',
  audit_log: 'local',
}

export const TABLES = Object.keys(PLACES) as TableName[]
export const tablesAt = (place: Place): TableName[] => TABLES.filter(table => PLACES[table] === place)

/** By its columns a row finds its node, and with it all rows of its project. */
export const BY = 'project_id'
/** The table that the others lie beside. */
export const FIRST: TableName = 'project_usage'
