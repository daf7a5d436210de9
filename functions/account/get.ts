import { findAccount, findMember } from '../../shared/accounts/queries/members.ts'
import { Account, accountOf } from '../../shared/accounts/wire/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'

export const getAccount = endpoint({
  method: 'get',
  path: '/v1/account',
  tag: 'Account',
  operation_id: 'getAccount',
  summary: 'Get the account, and who you are in it',
  description: 'A session acts for a member, and its role says what it may do.',
  auth: 'session',
  answers: { 200: { description: 'The account.', schema: Account } },
  errors: [],
  async handle({ ctx, principal }) {
    const { account_id, member_id } = principal
    const [account, member] = await Promise.all([
      findAccount(ctx.db, account_id),
      findMember(ctx.db, account_id, member_id),
    ])
    return accountOf(account!, member!)
  },
})
