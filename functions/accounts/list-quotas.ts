import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { listQuotas } from '../../shared/quotas/verbs/quotas.ts'
import { Quota, quotaOf } from '../../shared/quotas/wire/quotas.ts'

export const listAccountQuotas = endpoint({
  method: 'get',
  path: '/v1/admin/accounts/{accountId}/quotas',
  tag: 'Account',
  operation_id: 'listAccountQuotas',
  summary: "List an account's quotas, and how full they are",
  description: 'As GET /v1/quotas reports them to the account itself.',
  auth: 'operator',
  params: { accountId: 'account' },
  answers: { 200: { description: 'The quotas.', schema: z.array(Quota) } },
  errors: [],
  handle: async ({ ctx, params }) => (await listQuotas(ctx, params.accountId)).map(quotaOf),
})
