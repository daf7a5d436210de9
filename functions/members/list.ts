import { listMembers as list } from '../../shared/accounts/queries/members.ts'
import { Member, memberOf } from '../../shared/accounts/wire/members.ts'
import { NEXT_CURSOR, readPage, setNextCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, pageSize } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

export const listMembers = endpoint({
  method: 'get',
  path: '/v1/members',
  tag: 'Account',
  operation_id: 'listMembers',
  summary: 'List members',
  description: 'Everyone who can sign in to the account, oldest first.',
  auth: 'session',
  query: z.strictObject({ cursor: cursor.optional(), limit: pageSize(LIMITS.members_page) }),
  answers: { 200: { description: 'The members.', schema: z.array(Member), headers: NEXT_CURSOR } },
  errors: ['invalid_cursor'],
  async handle({ ctx, principal: { account_id }, query, reply }) {
    const identity = { list: 'members', account_id, project_id: null, filters: {} }
    const read = ([after_id]: string[] = [], limit: number) => list(ctx.db, account_id, { after_id, limit })
    const page = await readPage(ctx, identity, query, read, row => [row.id])
    setNextCursor(reply.headers, page)
    return page.rows.map(memberOf)
  },
})
