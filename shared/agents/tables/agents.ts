// Agents and their deployments.

import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  foreignKey,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import type { DeclaredCheck } from '../../grading/vocabulary.ts'
import { at, createdAt, id } from '../../kernel/column-types.ts'
import type { AgentDeclaration } from '../../protocol/rules/protocol.ts'
import { AGENT_PROTOCOLS, DEPLOYMENT_KINDS } from '../vocabulary.ts'

export const deploymentKind = pgEnum('deployment_kind', DEPLOYMENT_KINDS)
export const agentProtocol = pgEnum('agent_protocol', AGENT_PROTOCOLS)

export const agents = pgTable(
  'agents',
  {
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    slug: text('slug').notNull(),
    description: text('description').notNull().default(''),
    config: jsonb('config').$type<Record<string, unknown>>().notNull().default({}),
    config_version: integer('config_version').notNull().default(1),
    /** References a deployment of this agent. The constraint is written by hand: each table references the other. */
    current_deployment_id: uuid('current_deployment_id'),
    created_at: createdAt(),
    updated_at: at('updated_at').notNull().defaultNow(),
    /** Set when the agent is deleted: no read finds it any more, and the tick removes it with its runs. */
    deleted_at: at('deleted_at'),
  },
  t => [
    // A deleted agent gives its slug back.
    uniqueIndex('agents_project_slug').on(t.project_id, t.slug).where(sql`deleted_at is null`),
    unique('agents_project_id').on(t.project_id, t.id),
    index('agents_deleted').on(t.id).where(sql`deleted_at is not null`),
    ofProject(t),
  ],
)

/** Binds a row to an agent of the row's own project, whatever a query forgets. */
export function agentOf(t: { project_id: AnyPgColumn; agent_id: AnyPgColumn }) {
  return foreignKey({
    columns: [t.project_id, t.agent_id],
    foreignColumns: [agents.project_id, agents.id],
  }).onDelete('cascade')
}

/** Code of bundle deployments, stored once per content; `created_at` is when it was last deployed anew. */
export const bundles = pgTable('bundles', {
  hash: text('hash').primaryKey(),
  code: text('code').notNull(),
  created_at: createdAt(),
})

/** Immutable: a new version is a new row; promoting an old one moves the agent's pointer. */
export const deployments = pgTable(
  'deployments',
  {
    id: id(),
    project_id: uuid('project_id').notNull(),
    agent_id: uuid('agent_id').notNull(),
    version: integer('version').notNull(),
    kind: deploymentKind('kind').notNull(),
    protocol: agentProtocol('protocol').notNull().default('ndjson'),
    url: text('url'),
    /** The URL as limits and upstreams name it: see `agentHost`. */
    agent_host: text('agent_host'),
    bundle_hash: text('bundle_hash').references(() => bundles.hash),
    declaration: jsonb('declaration').$type<AgentDeclaration>().notNull(),
    /** The default checks when it was deployed; null if it declares its own, or is older than default checks. */
    default_checks: text('default_checks').array().$type<DeclaredCheck[]>(),
    /** The environment, encrypted with a key that is not in the database. */
    env_sealed: text('env_sealed'),
    external_id: text('external_id'),
    created_at: createdAt(),
  },
  t => [
    unique('deployments_agent_version').on(t.agent_id, t.version),
    unique('deployments_project_id').on(t.project_id, t.id),
    index('deployments_agent_host').on(t.project_id, t.agent_host, t.id).where(sql`agent_host is not null`),
    agentOf(t),
    ofProject(t),
  ],
)

/**
 * What answers said of the code that made them: each name is there once for its deployment, at most
 * LIMITS.code_versions of them. Code behind a URL changes without a deploy.
 */
export const codeVersions = pgTable(
  'code_versions',
  {
    project_id: uuid('project_id').notNull(),
    agent_id: uuid('agent_id').notNull(),
    /** Counts from 1 within the agent, as an item may outlive the deployment that it was submitted to. */
    no: integer('no').notNull(),
    deployment_id: uuid('deployment_id').notNull(),
    name: text('name').notNull(),
    /** When it was first seen. */
    created_at: createdAt(),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.agent_id, t.no] }),
    unique('code_versions_name').on(t.project_id, t.deployment_id, t.name),
    foreignKey({
      columns: [t.project_id, t.deployment_id],
      foreignColumns: [deployments.project_id, deployments.id],
    }).onDelete('cascade'),
    ofProject(t),
  ],
)
