import * as z from 'zod'
import { listAccounts as list } from '../../shared/accounts/queries/accounts.ts'
import { OperatedAccount, operatedAccountOf } from '../../shared/accounts/wire/accounts.ts'
import { NEXT_CURSOR, readPage, setNextCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { cursor, pageSize } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

export const listAccounts = endpoint({
  method: 'get',
  path: '/v1/admin/accounts',
  tag: 'Account',
  operation_id: 'listAccounts',
  summary: 'List accounts',
  description: 'Every account of the installation, oldest first, with how much is in it and nothing of what.',
  auth: 'operator',
  query: z.strictObject({ cursor: cursor.optional(), limit: pageSize(LIMITS.accounts_page) }),
  answers: { 200: { description: 'The accounts.', schema: z.array(OperatedAccount), headers: NEXT_CURSOR } },
  errors: ['invalid_cursor'],
  async handle({ ctx, query, reply }) {
    const identity = { list: 'accounts', account_id: '', project_id: null, filters: {} }
    const read = ([after_id]: string[] = [], limit: number) => list(ctx.db, { after_id, limit })
    const page = await readPage(ctx, identity, query, read, row => [row.id])
    setNextCursor(reply.headers, page)
    return page.rows.map(operatedAccountOf)
  },
})
