// Projects, what is used of their limits, and the keys that act for them.

import { sql } from 'drizzle-orm'
import { date, index, integer, jsonb, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { at, bytea, createdAt, id, micro } from '../../kernel/column-types.ts'
import { KEY_ROLES } from '../vocabulary.ts'
import { accounts } from './accounts.ts'
import { ofAccount, ofProject } from './tenant.ts'

export const keyRole = pgEnum('key_role', KEY_ROLES)

/** What an operator may set on a project; absent keys mean the value in LIMITS. */
export interface ProjectSettings {
  concurrency?: number
  partition_concurrency?: number
  keys_may_mint?: boolean
  /** Days after its submission that a run keeps its steps, its items' inputs and outputs, and itself. */
  step_retention_days?: number
  payload_retention_days?: number
  record_retention_days?: number
  requests_per_second?: number
  open_runs?: number
  /** The zone whose days and months budgets follow. */
  timezone?: string
}

export const projects = pgTable(
  'projects',
  {
    id: id(),
    /** Null once the project is deleted: no query finds it any more, and the tick removes it step by step. */
    account_id: uuid('account_id').references(() => accounts.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    settings: jsonb('settings').$type<ProjectSettings>().notNull().default({}),
    /** Money the project may spend in all; null is no limit. */
    credit_micro: micro('credit_micro'),
    created_at: createdAt(),
    updated_at: at('updated_at').notNull().defaultNow(),
  },
  t => [
    index('projects_account').on(t.account_id),
    index('projects_deleted').on(t.id).where(sql`account_id is null`),
    ofAccount(t.account_id),
  ],
)

/** The two numbers every claim and every settle of a project change, kept apart because they change so often. */
export const projectUsage = pgTable(
  'project_usage',
  {
    project_id: uuid('project_id')
      .primaryKey()
      .references(() => projects.id, { onDelete: 'cascade' }),
    running: integer('running').notNull().default(0),
    spent_micro: micro('spent_micro').notNull().default(0),
    /** Failed items, and how often their clusters have changed. Kept by the triggers on `triage`. */
    failures: micro('failures').notNull().default(0),
    failure_changes: micro('failure_changes').notNull().default(0),
    /** The day that spending is recorded for, and when the next one begins; null without a budget by period. */
    spend_day: date('spend_day'),
    spend_day_ends_at: at('spend_day_ends_at'),
  },
  t => [
    index('project_usage_day').on(t.spend_day_ends_at).where(sql`spend_day_ends_at is not null`),
    ofProject(t),
  ],
)

export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    prefix: text('prefix').notNull(),
    hash: bytea('hash').notNull().unique(),
    created_at: createdAt(),
    last_used_at: at('last_used_at'),
    revoked_at: at('revoked_at'),
    /** What the key may do in its project. */
    role: keyRole('role').notNull().default('operator'),
    /** The key is refused from then on; null is never. */
    expires_at: at('expires_at'),
  },
  t => [
    index('api_keys_project').on(t.project_id),
    index('api_keys_dead').on(sql`least(${t.revoked_at}, ${t.expires_at})`),
    ofProject(t),
  ],
)
