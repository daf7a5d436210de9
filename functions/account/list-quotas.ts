import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { listQuotas as list } from '../../shared/quotas/verbs/quotas.ts'
import { Quota, quotaOf } from '../../shared/quotas/wire/quotas.ts'

export const listQuotas = endpoint({
  method: 'get',
  path: '/v1/quotas',
  tag: 'Account',
  operation_id: 'listQuotas',
  summary: "List the account's quotas, and how full they are",
  description:
    'Of the whole account, also to a project key. What would be more is refused, and what there is stays when a quota is lowered below it. Whoever operates the installation sets them.',
  auth: 'any',
  answers: { 200: { description: 'The quotas.', schema: z.array(Quota) } },
  errors: [],
  handle: async ({ ctx, principal }) => (await list(ctx, principal.account_id)).map(quotaOf),
})
