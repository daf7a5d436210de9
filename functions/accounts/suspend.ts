import { setStatus } from '../../shared/accounts/verbs/accounts.ts'
import { OperatedAccount, operatedAccountOf } from '../../shared/accounts/wire/accounts.ts'
import { endpoint } from '../../shared/http/endpoint.ts'

export const suspendAccount = endpoint({
  method: 'post',
  path: '/v1/admin/accounts/{accountId}/suspend',
  tag: 'Account',
  operation_id: 'suspendAccount',
  summary: 'Suspend an account',
  description:
    'Within five seconds its keys are answered 403 `suspended`, starts 402, and its members may only read. No schedule of it fires and nothing of it is dispatched; what is in flight ends. Nothing is lost.',
  auth: 'operator',
  atomic: true,
  params: { accountId: 'account' },
  answers: { 200: { description: 'The account.', schema: OperatedAccount } },
  errors: [],
  handle: async ({ ctx, params }) => operatedAccountOf(await setStatus(ctx, params.accountId, 'suspended')),
})
