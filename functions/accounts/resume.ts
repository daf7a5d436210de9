import { setStatus } from '../../shared/accounts/verbs/accounts.ts'
import { OperatedAccount, operatedAccountOf } from '../../shared/accounts/wire/accounts.ts'
import { endpoint } from '../../shared/http/endpoint.ts'

export const resumeAccount = endpoint({
  method: 'post',
  path: '/v1/admin/accounts/{accountId}/resume',
  tag: 'Account',
  operation_id: 'resumeAccount',
  summary: 'Resume a suspended account',
  description: 'Its keys open again within five seconds, and its waiting items are dispatched.',
  auth: 'operator',
  atomic: true,
  params: { accountId: 'account' },
  answers: { 200: { description: 'The account.', schema: OperatedAccount } },
  errors: [],
  handle: async ({ ctx, params }) => operatedAccountOf(await setStatus(ctx, params.accountId, 'active')),
})
