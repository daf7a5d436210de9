// The shapes of projects, keys, sessions and agents, and how rows become them.
// Guarantee: no hash and no secret, except a new key, is returned through these.

import type { agents } from '../../agents/tables/agents.ts'
import { type RawJson, rawJson } from '../../json/raw-json.ts'
import { id, Json, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { DEFAULT_ZONE } from '../../prices/rules/budgets.ts'
import { centsOf } from '../../prices/rules/pricing.ts'
import { Budget, type BudgetsRow, budgetsOf } from '../../prices/wire/budgets.ts'
import type { apiKeys, projects } from '../tables/projects.ts'
import { KEY_ROLES } from '../vocabulary.ts'
import { leftFields } from './members.ts'
import { settings } from './project-settings.ts'

export type ProjectRow = typeof projects.$inferSelect & { running: number; spent_micro: number } & BudgetsRow
export type ApiKeyRow = Omit<typeof apiKeys.$inferSelect, 'hash'>
/** The configuration stays text: nothing here reads it, and parsing a list of large ones would hold up the process. */
export type AgentRow = Omit<typeof agents.$inferSelect, 'config'> & {
  config: string
  deployed_version: number | null
} & BudgetsRow

export const Project = z
  .object({
    id: id('What project_id stands for elsewhere.'),
    name: z.string(),
    concurrency: z.int().describe('Items of the project at work at once at most.'),
    running: z.int().describe('Items of the project at work now.'),
    partition_concurrency: settings.partition_concurrency
      .nullable()
      .describe('Items of one partition at work at once at most; null is no bound.'),
    open_runs: settings.open_runs,
    requests_per_second: settings.requests_per_second,
    keys_may_mint: settings.keys_may_mint,
    step_retention_days: settings.step_retention_days.nullable(),
    payload_retention_days: settings.payload_retention_days.nullable(),
    record_retention_days: settings.record_retention_days.nullable(),
    timezone: z.string().describe('The zone whose days and months budgets follow.'),
    budgets: z.array(Budget).describe('Of the whole project, by day and month.'),
    credit_cents: z.int().nullable().describe('Money the project may spend in all; null is no bound.'),
    spent_cents: z.int().describe('Money the project has spent.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .openapi('Project', { description: 'Separates environments: agents, runs and keys belong to one project.' })

export function projectOf(row: ProjectRow): z.input<typeof Project> {
  return {
    id: row.id,
    name: row.name,
    concurrency: row.settings.concurrency ?? LIMITS.project_concurrency,
    running: row.running,
    partition_concurrency: row.settings.partition_concurrency ?? null,
    open_runs: row.settings.open_runs ?? LIMITS.project_open_runs,
    requests_per_second: row.settings.requests_per_second ?? LIMITS.project_requests_per_second,
    keys_may_mint: row.settings.keys_may_mint ?? true,
    step_retention_days: row.settings.step_retention_days ?? null,
    payload_retention_days: row.settings.payload_retention_days ?? null,
    record_retention_days: row.settings.record_retention_days ?? null,
    timezone: row.settings.timezone ?? DEFAULT_ZONE,
    budgets: budgetsOf(row),
    credit_cents: row.credit_micro === null ? null : centsOf(row.credit_micro),
    spent_cents: centsOf(row.spent_micro),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

const apiKeyFields = {
  id: id('The id to revoke it by.'),
  project_id: id('The only project it opens.'),
  name: z.string(),
  prefix: z.string().describe('How the key begins, to distinguish it from others.'),
  created_at: timestamp,
  last_used_at: timestamp.nullable().describe('Exact to a minute.'),
  role: z.enum(KEY_ROLES).describe('A viewer only reads.'),
  expires_at: timestamp.nullable().describe('From then on it is refused; null is never.'),
}
export const ApiKey = z
  .object(apiKeyFields)
  .openapi('ApiKey', { description: 'A key of a project, without the key.' })
export const NewApiKey = z
  .object({
    ...apiKeyFields,
    key: z.string().meta({ example: 'pk_4fJ0…', description: 'The key itself; it is shown this once.' }),
  })
  .openapi('NewApiKey', { description: 'A key that was just made.' })

export const RevokedApiKey = z
  .object({ ...apiKeyFields, ...leftFields })
  .openapi('RevokedApiKey', { description: 'A key that was revoked, and what outlasts that.' })

export function apiKeyOf(row: ApiKeyRow): z.input<typeof ApiKey> {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    prefix: row.prefix,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    role: row.role,
    expires_at: row.expires_at?.toISOString() ?? null,
  }
}

export const Session = z
  .object({
    session_id: id('The session.'),
    token_type: z.literal('Bearer'),
    access_token: z.string().describe('A JWT for the Authorization header.'),
    access_expires_at: timestamp,
    refresh_token: z.string().describe('Trades once for the next pair of tokens.'),
    refresh_expires_at: timestamp,
  })
  .openapi('Session', { description: 'The tokens of a signed-in member.' })

export const Agent = z
  .object({
    id: id('What agent_id stands for elsewhere.'),
    project_id: id('The owning project.'),
    name: z.string(),
    slug: z.string().describe('Unique within its project.'),
    description: z.string(),
    config: z.record(z.string(), Json).describe('Yours to use; agents are not changed by it.'),
    config_version: z.int().describe('Bumped by every update; not the version of the code.'),
    current_deployment_id: id('What the next run executes; null until something is deployed.').nullable(),
    deployed_version: z.int().nullable().describe('Version of the current deployment.'),
    budgets: z.array(Budget).describe("By day and month; the project's own hold as well."),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .openapi('Agent', { description: 'The deployable unit of code.' })

export function agentOf(row: AgentRow): Omit<z.input<typeof Agent>, 'config'> & { config: RawJson } {
  const { created_at, updated_at, config, deleted_at: _, spend_day: _day, timezone: _zone, ...fields } = row
  return {
    ...fields,
    config: rawJson(config),
    budgets: budgetsOf(row),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}
