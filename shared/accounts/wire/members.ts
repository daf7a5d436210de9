// The shapes of an account, its members, their sessions and the log of changes. They hold no hashes.

import { count, id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { label } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { accounts, auditLog, members, sessions } from '../tables/accounts.ts'
import {
  ACCOUNT_STATUSES,
  MADE_HOW,
  MADE_KINDS,
  type MadeHow,
  type MadeKind,
  MEMBER_ROLES,
} from '../vocabulary.ts'

export type AccountRow = typeof accounts.$inferSelect
export type MemberRow = Omit<typeof members.$inferSelect, 'password_hash'>
export type SessionRow = Omit<typeof sessions.$inferSelect, 'refresh_hash'>
export type AuditRow = typeof auditLog.$inferSelect

export const role = z
  .enum(MEMBER_ROLES)
  .describe('viewer reads; operator also changes agents, keys and runs; owner also projects and members.')
export const password = z
  .string()
  .min(LIMITS.password_characters.min)
  .max(LIMITS.password_characters.max)
  .describe('At least 12 characters.')
export const email = label(LIMITS.name_characters, 'An e-mail address; unique in the installation.')
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
  .transform(text => text.toLowerCase())

export const Member = z
  .object({
    id: id('The member.'),
    email: z.string(),
    role: z.enum(MEMBER_ROLES),
    created_at: timestamp,
  })
  .openapi('Member', { description: 'A person who can sign in to the account.' })

export const PasswordLink = z
  .object({
    url: z.string().describe('To be opened once, by the member alone.'),
    expires_at: timestamp,
  })
  .openapi('PasswordLink', { description: 'Sets a new password without the one before.' })
export interface MadeRow {
  kind: MadeKind
  id: string
  name: string
  project_id: string | null
  how: MadeHow
  knows_secret: boolean
}

const flag = (words: string) => z.enum(['true', 'false']).default('false').describe(words)

/** What may be revoked together with a key, or with a member. */
export const Revoking = z.strictObject({
  revoke_keys: flag(
    'Revokes the keys that it made as well, and those made with these. Members whom it made keep theirs.',
  ),
  revoke_triggers: flag(
    'Deletes the triggers whose secret it or these keys know, too: their URLs answer 404 at once.',
  ),
})

export const revocationOf = ({ revoke_keys, revoke_triggers }: z.output<typeof Revoking>) => ({
  keys: revoke_keys === 'true',
  triggers: revoke_triggers === 'true',
})

/** What outlasts a key or a member. */
export const leftFields = {
  revoked_keys: count('Keys that were revoked as well: made by it, or with keys that it made.'),
  revoked_triggers: count('Triggers that were deleted as well: it or these keys know the secret.'),
  made: z
    .array(
      z.object({
        kind: z
          .enum(MADE_KINDS)
          .describe(
            'A `signing_secret` is replaced by rolling it; a `deployment` is a current one, and the key that a URL is called with is replaced by deploying at another URL; an `agent` one whose configuration was changed, a `recovery` or a `run` one that has not ended.',
          ),
        id: id('What it is revoked, deleted, cancelled or aborted by; of a signing secret, its project.'),
        name: z.string(),
        project_id: id('Null for a member.').nullable(),
        how: z
          .enum(MADE_HOW)
          .describe(
            '`changed` and `read`: somebody else made it. A member is changed by a role, or by a used link; what they made since that is listed too.',
          ),
        knows_secret: z.boolean().describe('It is a credential that its maker has: revoke it.'),
      }),
    )
    .describe(
      'What was made, and what was made with that, as far as it stays: 1,000 at most. Not the member who asks, and nothing of theirs.',
    ),
}

/** Of a member who may do no less than before. */
export const NOTHING_LEFT = { revoked_keys: 0, revoked_triggers: 0, made: [] }

export const RemovedMember = Member.extend(leftFields).openapi('RemovedMember', {
  description: 'A member who was removed, and what outlasts that.',
})
export const ChangedMember = Member.extend(leftFields).openapi('ChangedMember', {
  description: 'A member with another role; of a lower one, with what the member made before.',
})

export const memberOf = ({ id, email, role, created_at }: MemberRow): z.input<typeof Member> => ({
  id,
  email,
  role,
  created_at: created_at.toISOString(),
})

export const Account = z
  .object({
    id: id('The account.'),
    name: z.string(),
    status: z.enum(ACCOUNT_STATUSES).describe('Of a suspended account nothing is started or dispatched.'),
    open_runs_limit: z.int().nullable().describe('Runs that have not ended, at most; null is no bound.'),
    created_at: timestamp,
    member: Member.describe('Who is asking.'),
  })
  .openapi('Account', { description: 'Owns projects; its members sign in to all of them.' })

export const accountOf = (row: AccountRow, member: MemberRow): z.input<typeof Account> => ({
  id: row.id,
  name: row.name,
  status: row.status,
  open_runs_limit: row.plan.open_runs ?? null,
  created_at: row.created_at.toISOString(),
  member: memberOf(member),
})

export const OpenSession = z
  .object({
    id: id('The id to revoke it by.'),
    is_current: z.boolean().describe('The session that is asking.'),
    user_agent: z.string().describe('What the client called itself when it signed in.'),
    created_at: timestamp,
    last_used_at: timestamp.describe('When its tokens were last renewed.'),
    expires_at: timestamp,
  })
  .openapi('OpenSession', { description: 'A sign-in that is still good.' })

export const sessionOf = (row: SessionRow, current: string): z.input<typeof OpenSession> => ({
  id: row.id,
  is_current: row.id === current,
  user_agent: row.user_agent,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
})

export const AuditEntry = z
  .object({
    id: id('The entry.'),
    created_at: timestamp,
    action: z
      .string()
      .describe(
        'The operationId of what was done, with `.refused` behind it where a stranger tried it in vain.',
      ),
    actor: z.object({
      kind: z.enum(['key', 'member', 'operator', 'stranger']),
      id: id(
        'The key or the member; all zeros where it is whoever operates the installation, or a stranger.',
      ),
      name: z
        .string()
        .describe(
          "The key's prefix, the member's e-mail at that time (masked for a key with the role `viewer`), or the stranger's address.",
        ),
    }),
    project_id: id('Null for what concerns the account as a whole.').nullable(),
    target_id: id('What was made or changed.').nullable(),
    fields: z.array(z.string()).describe('The fields that were sent, without their values.'),
  })
  .openapi('AuditEntry', { description: 'Who changed what, and when.' })

export const auditEntryOf = (row: AuditRow): z.input<typeof AuditEntry> => ({
  id: row.id,
  created_at: row.created_at.toISOString(),
  action: row.action,
  actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
  project_id: row.project_id,
  target_id: row.target_id,
  fields: row.fields,
})
