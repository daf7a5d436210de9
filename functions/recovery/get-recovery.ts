import { endpoint } from '../../shared/http/endpoint.ts'
import { within } from '../../shared/http/scope.ts'
import { makersOf } from '../../shared/recovery/queries/makers.ts'
import { findRecovery } from '../../shared/recovery/queries/recoveries.ts'
import { Recovery, recoveryOf } from '../../shared/recovery/wire/recoveries.ts'

export const getRecovery = endpoint({
  method: 'get',
  path: '/v1/recoveries/{recoveryId}',
  tag: 'Recovery',
  operation_id: 'getRecovery',
  summary: 'Get a recovery',
  description: 'With its counts and how far it is.',
  auth: 'any',
  params: { recoveryId: 'recovery' },
  answers: { 200: { description: 'The recovery.', schema: Recovery } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const found = await findRecovery(ctx.db, principal.account_id, params.recoveryId)
    const recovery = within(principal, 'recovery', found)
    return recoveryOf(recovery, await makersOf(ctx.sql, recovery))
  },
})
