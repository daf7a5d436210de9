import { listAuditEntries as list } from '../../shared/accounts/queries/audit.ts'
import { AuditEntry, auditEntryOf } from '../../shared/accounts/wire/members.ts'
import { readPage } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, label, pageSize, uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

export const listAuditEntries = endpoint({
  method: 'get',
  path: '/v1/audit',
  tag: 'Account',
  operation_id: 'listAuditEntries',
  summary: 'List who changed what, and when',
  description: 'Newest first. A project key sees the changes of its own project.',
  auth: 'any',
  query: z.strictObject({
    project_id: uuid('Only changes in this project.').optional(),
    action: label(LIMITS.name_characters, 'Only this operation, for example createApiKey.').optional(),
    actor_id: uuid('Only changes by this key or member.').optional(),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.audit_page),
  }),
  answers: {
    200: {
      description: 'The entries.',
      schema: z.object({ entries: z.array(AuditEntry), next_cursor: z.string().nullable() }),
    },
  },
  errors: ['invalid_cursor', 'not_found'],
  async handle({ ctx, principal, query }) {
    const { cursor, limit, project_id, ...filters } = query
    const scope = await scopeOf(ctx, principal, project_id)
    const read = ([before_id]: string[] = [], limit: number) =>
      list(ctx.db, { ...scope, ...filters, before_id, limit })
    const identity = { list: 'audit', ...scope, filters }
    const page = await readPage(ctx, identity, { cursor, limit }, read, row => [row.id])
    return { entries: page.rows.map(auditEntryOf), next_cursor: page.next_cursor }
  },
})
