import { openAccount } from '../../shared/accounts/verbs/accounts.ts'
import { NewAccount, OpenedAccount, openedAccountOf } from '../../shared/accounts/wire/accounts.ts'
import { endpoint } from '../../shared/http/endpoint.ts'

export const createAccount = endpoint({
  method: 'post',
  path: '/v1/admin/accounts',
  tag: 'Account',
  operation_id: 'createAccount',
  summary: 'Open an account',
  description:
    'With its first owner and a project. Assay sends no mail: hand the owner the password, to be changed with POST /v1/account/password.',
  auth: 'operator',
  shows_secret: true,
  atomic: true,
  body: NewAccount,
  answers: { 201: { description: 'The account.', schema: OpenedAccount } },
  errors: ['email_taken'],
  handle: async ({ ctx, body }) => openedAccountOf(await openAccount(ctx, body)),
})
