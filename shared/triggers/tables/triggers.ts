// Triggers: inbound HTTP starts.

import { sql } from 'drizzle-orm'
import { boolean, check, jsonb, pgEnum, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { agentOf } from '../../agents/tables/agents.ts'
import { at, bytea, createdAt, id } from '../../kernel/column-types.ts'
import type { TriggerSource } from '../../sources/rules/source.ts'
import { startColumns } from '../../submission/tables/start-columns.ts'
import { SIGNATURE_SCHEMES } from '../vocabulary.ts'

export const signatureScheme = pgEnum('signature_scheme', SIGNATURE_SCHEMES)

/** Keyed by (agent, name); the id in its URL (`whk_…`) and its secret live as long as the name. */
export const triggers = pgTable(
  'triggers',
  {
    id: id(),
    project_id: uuid('project_id').notNull(),
    agent_id: uuid('agent_id').notNull(),
    name: text('name').notNull(),
    webhook_id: text('webhook_id').notNull().unique(),
    /** Names the sender's environment variable that holds the secret. */
    secret_env: text('secret_env'),
    /** Declared in the agent's code: deploys change and remove it. */
    declared: boolean('declared').notNull().default(false),
    scheme: signatureScheme('scheme').notNull().default('bearer'),
    /** SHA-256 of the bearer secret; null for a trigger with signatures, which takes no bearer. */
    secret_hash: bytea('secret_hash'),
    /** The secret to check signatures with, encrypted with a key that is not in the database; null until known. */
    signing_secret_sealed: text('signing_secret_sealed'),
    /** Where the items of a fire come from; null if each fire is one run over one item, its body. */
    source: jsonb('source').$type<TriggerSource>(),
    /** The request headers for its source, encrypted like those of a schedule. */
    source_headers_sealed: text('source_headers_sealed'),
    ...startColumns(),
    created_at: createdAt(),
    last_fired_at: at('last_fired_at'),
  },
  t => [
    unique('triggers_agent_name').on(t.agent_id, t.name),
    unique('triggers_project_id').on(t.project_id, t.id),
    check(
      'triggers_one_secret',
      sql`case when scheme = 'bearer' then secret_hash is not null and signing_secret_sealed is null else secret_hash is null end`,
    ),
    agentOf(t),
    ofProject(t),
  ],
)
