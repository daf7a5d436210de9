import { setPlan } from '../../shared/accounts/verbs/accounts.ts'
import { AccountPlanChange, OperatedAccount, operatedAccountOf } from '../../shared/accounts/wire/accounts.ts'
import { endpoint } from '../../shared/http/endpoint.ts'

export const setAccountPlan = endpoint({
  method: 'patch',
  path: '/v1/admin/accounts/{accountId}',
  tag: 'Account',
  operation_id: 'setAccountPlan',
  summary: "Set an account's plan",
  description: 'Holds for every further start; runs that are open go on, also where they are more than that.',
  auth: 'operator',
  atomic: true,
  params: { accountId: 'account' },
  body: AccountPlanChange,
  answers: { 200: { description: 'The account.', schema: OperatedAccount } },
  errors: [],
  handle: async ({ ctx, params, body }) =>
    operatedAccountOf(await setPlan(ctx, params.accountId, body.open_runs_limit)),
})
