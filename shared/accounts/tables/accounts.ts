// Accounts, their members, their sessions, and the log of what they changed.

import { index, jsonb, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { at, bytea, createdAt, id, micro } from '../../kernel/column-types.ts'
import type { SetQuotas } from '../../quotas/rules/quotas.ts'
import { ACCOUNT_STATUSES, MEMBER_ROLES } from '../vocabulary.ts'
import { ofAccount, ofMember } from './tenant.ts'

export const accountStatus = pgEnum('account_status', ACCOUNT_STATUSES)
export const memberRole = pgEnum('member_role', MEMBER_ROLES)

/** What the installation's operator grants an account; absent keys mean the default. */
export type AccountPlan = SetQuotas

export const accounts = pgTable(
  'accounts',
  {
    id: id(),
    name: text('name').notNull(),
    status: accountStatus('status').notNull().default('active'),
    plan: jsonb('plan').$type<AccountPlan>().notNull().default({}),
    /** Bytes of inputs and code, where the plan limits them: as of kept_bytes_at, plus what was deployed since. */
    kept_bytes: micro('kept_bytes'),
    kept_bytes_at: at('kept_bytes_at'),
    created_at: createdAt(),
  },
  t => [ofAccount(t.id)],
)

export const members = pgTable(
  'members',
  {
    id: id(),
    account_id: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    email: text('email').notNull().unique(),
    role: memberRole('role').notNull().default('owner'),
    password_hash: text('password_hash').notNull(),
    created_at: createdAt(),
  },
  t => [ofAccount(t.account_id)],
)

/** A signed-in member; the row holds the hash of the refresh token, the access token is a JWT. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    member_id: uuid('member_id')
      .notNull()
      .references(() => members.id, { onDelete: 'cascade' }),
    refresh_hash: bytea('refresh_hash').notNull().unique(),
    /** What the client called itself, so that people recognize their sessions. */
    user_agent: text('user_agent').notNull().default(''),
    created_at: createdAt(),
    last_used_at: at('last_used_at').notNull().defaultNow(),
    expires_at: at('expires_at').notNull(),
    revoked_at: at('revoked_at'),
  },
  t => [index('sessions_expires').on(t.expires_at), ofMember(t)],
)

/** Whether a row of `sessions` is a live session, in SQL. */
export const LIVE_SESSION = 'sessions.revoked_at is null and sessions.expires_at > now()'

/** Who changed what and when. Values are not kept, only which fields were named: they may be secrets. */
export const auditLog = pgTable(
  'audit_log',
  {
    /** A UUIDv7: the order of entries. */
    id: id(),
    account_id: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** Null for what concerns the account as a whole; kept when the project is gone. */
    project_id: uuid('project_id'),
    actor_kind: text('actor_kind').$type<'key' | 'member' | 'operator' | 'stranger'>().notNull(),
    /** All zeros for the operator or a stranger. */
    actor_id: uuid('actor_id').notNull(),
    /** The key's prefix, the member's e-mail or the stranger's address: the actor may be gone when this is read. */
    actor_name: text('actor_name').notNull(),
    /** The operation; `.refused` is appended where a stranger's attempt was refused. */
    action: text('action').notNull(),
    target_id: uuid('target_id'),
    fields: text('fields').array().notNull().default([]),
    created_at: createdAt(),
  },
  t => [
    index('audit_log_account').on(t.account_id, t.id),
    index('audit_log_action').on(t.account_id, t.action, t.actor_id),
    index('audit_log_project').on(t.project_id, t.id),
    ofAccount(t.account_id),
  ],
)
