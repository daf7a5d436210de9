import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { listQuotas, setQuotas } from '../../shared/quotas/verbs/quotas.ts'
import { Quota, QuotaChanges, quotaOf } from '../../shared/quotas/wire/quotas.ts'

export const setAccountQuotas = endpoint({
  method: 'patch',
  path: '/v1/admin/accounts/{accountId}/quotas',
  tag: 'Account',
  operation_id: 'setAccountQuotas',
  summary: "Set an account's quotas",
  description:
    'Only what is named changes; null goes back to the default. What exists beyond a quota stays and works, and only more is refused. Holds for every further request within five seconds.',
  auth: 'operator',
  atomic: true,
  params: { accountId: 'account' },
  body: QuotaChanges,
  answers: { 200: { description: 'All quotas of the account.', schema: z.array(Quota) } },
  errors: [],
  async handle({ ctx, params, body }) {
    await setQuotas(ctx, params.accountId, body)
    return (await listQuotas(ctx, params.accountId)).map(quotaOf)
  },
})
