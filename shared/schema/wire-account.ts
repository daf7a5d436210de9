// The shapes of what stands around runs: projects, keys, sessions, agents and deployments, and how rows become them.
// Guarantee: no hash, no secret and no environment ever leaves through these.

import { z } from '@hono/zod-openapi'
import { LIMITS } from '../domain/limits.ts'
import { centsOf } from '../domain/pricing.ts'
import { AGENT_PROTOCOLS, DEPLOYMENT_KINDS } from '../domain/vocabulary.ts'
import { isStorable, label, prose } from './input.ts'
import { settings } from './project-settings.ts'
import type { agents, apiKeys, deployments, projects } from './tables.ts'
import { Json, timestamp } from './wire.ts'

const uuid = (description: string) => z.string().meta({ format: 'uuid', description })

export type ProjectRow = typeof projects.$inferSelect & { running: number; spent_micro: number }
export type ApiKeyRow = Omit<typeof apiKeys.$inferSelect, 'hash'>
export type AgentRow = typeof agents.$inferSelect & { deployed_version: number | null }
export type DeploymentRow = typeof deployments.$inferSelect & { is_current: boolean }

export const Project = z
  .object({
    id: uuid('What project_id stands for elsewhere.'),
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
    prices: settings.prices,
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
    prices: row.settings.prices ?? {},
    credit_cents: row.credit_micro === null ? null : centsOf(row.credit_micro),
    spent_cents: centsOf(row.spent_micro),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

const apiKeyFields = {
  id: uuid('The id to revoke it by.'),
  project_id: uuid('The only project it opens.'),
  name: z.string(),
  prefix: z.string().describe('How the key begins, to tell it from others.'),
  created_at: timestamp,
  last_used_at: timestamp.nullable().describe('Exact to a minute.'),
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

export function apiKeyOf(row: ApiKeyRow): z.input<typeof ApiKey> {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    prefix: row.prefix,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }
}

export const Session = z
  .object({
    session_id: uuid('The session.'),
    token_type: z.literal('Bearer'),
    access_token: z.string().describe('A JWT for the Authorization header.'),
    access_expires_at: timestamp,
    refresh_token: z.string().describe('Trades once for the next pair of tokens.'),
    refresh_expires_at: timestamp,
  })
  .openapi('Session', { description: 'The tokens of a signed-in member.' })

export const Agent = z
  .object({
    id: uuid('What agent_id stands for elsewhere.'),
    project_id: uuid('The owning project.'),
    name: z.string(),
    slug: z.string().describe('Unique within its project.'),
    description: z.string(),
    config: z.record(z.string(), Json).describe('Yours to use; agents are not changed by it.'),
    config_version: z.int().describe('Bumped by every update; not the version of the code.'),
    current_deployment_id: uuid('What the next run executes; null until something is deployed.').nullable(),
    deployed_version: z.int().nullable().describe('Version of the current deployment.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .openapi('Agent', { description: 'The deployable unit of code.' })

export function agentOf(row: AgentRow): z.input<typeof Agent> {
  const { created_at, updated_at, deleted_at: _, ...fields } = row
  return { ...fields, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() }
}

const cents = z.int().min(0).max(LIMITS.budget_cents)

/** What an agent says about itself when it is deployed. */
export const Declaration = z
  .strictObject({
    name: label(LIMITS.name_characters, "The agent's name."),
    description: prose(LIMITS.description_characters, 'What it does.').optional(),
    item_budget_cents: cents.optional().describe('Money one item may spend.'),
    on_budget: z
      .enum(['fail', 'pause'])
      .optional()
      .describe('What becomes of an item that reaches its budget.'),
    max_steps: z.int().min(1).max(LIMITS.agent_steps.max).optional(),
    concurrency: z.int().min(1).max(LIMITS.run_concurrency).optional(),
    timeout_seconds: z.int().min(1).max(LIMITS.agent_timeout_seconds.max).optional(),
    retries: z
      .int()
      .min(0)
      .max(LIMITS.agent_retries)
      .optional()
      .describe("Further attempts after the agent's errors."),
    max_consecutive_failures: z
      .int()
      .min(1)
      .optional()
      .describe('A run stops when so many items in a row failed.'),
    network: z
      .array(label(LIMITS.callback_url_characters, 'A host, host:port, or * for the public internet.'))
      .max(LIMITS.agent_network_hosts)
      .optional(),
    input_schema: Json.optional(),
    output_schema: Json.optional(),
  })
  .refine(isStorable, 'must hold no \\u0000 and no lone surrogates in its texts')
  .openapi('AgentDeclaration', { description: 'What an agent says about itself when it is deployed.' })

export const Deployment = z
  .object({
    id: uuid('The deployment.'),
    project_id: uuid('The project of its agent.'),
    agent_id: uuid('The agent it is a version of.'),
    version: z.int().describe('Counts from 1 within the agent.'),
    is_current: z.boolean().describe('The next run executes it.'),
    kind: z.enum(DEPLOYMENT_KINDS),
    protocol: z
      .enum(AGENT_PROTOCOLS)
      .describe('What it speaks: lines of JSON, or one JSON value per request.'),
    url: z.string().nullable(),
    bundle_hash: z.string().nullable().describe('SHA-256 of the code.'),
    declaration: Declaration,
    external_id: z.string().nullable(),
    created_at: timestamp,
  })
  .openapi('Deployment', { description: 'A version of an agent. It never changes.' })

export const Deployed = Deployment.extend({
  created: z
    .boolean()
    .describe('False when the same content had been deployed before: this is that version.'),
}).openapi('Deployed', { description: 'The deployment that is current now.' })

export function deploymentOf(row: DeploymentRow): z.input<typeof Deployment> {
  const { env_sealed: _, created_at, ...fields } = row
  return { ...fields, created_at: created_at.toISOString() } as z.input<typeof Deployment>
}
