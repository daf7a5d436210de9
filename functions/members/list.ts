import { z } from '@hono/zod-openapi'
import { endpoint } from '../../shared/http/endpoint.ts'
import { Member, memberOf } from '../../shared/schema/wire-members.ts'
import { listMembers as list } from '../../shared/store/members.ts'

export const listMembers = endpoint({
  method: 'get',
  path: '/v1/members',
  tag: 'Account',
  operation_id: 'listMembers',
  summary: 'List members',
  description: 'Everyone who can sign in to the account, oldest first.',
  auth: 'session',
  answers: { 200: { description: 'The members.', schema: z.array(Member) } },
  errors: [],
  handle: async ({ ctx, principal }) => (await list(ctx.db, principal.account_id)).map(memberOf),
})
