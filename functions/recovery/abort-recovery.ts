import { endpoint } from '../../shared/http/endpoint.ts'
import { within } from '../../shared/http/scope.ts'
import { makersOf } from '../../shared/recovery/queries/makers.ts'
import { findRecovery } from '../../shared/recovery/queries/recoveries.ts'
import { abortRecovery as abort } from '../../shared/recovery/verbs/recover.ts'
import { Recovery, recoveryOf } from '../../shared/recovery/wire/recoveries.ts'

export const abortRecovery = endpoint({
  method: 'post',
  path: '/v1/recoveries/{recoveryId}/abort',
  tag: 'Recovery',
  operation_id: 'abortRecovery',
  summary: 'Abort a recovery',
  description:
    'Its runs are cancelled; items at work finish. Items that were not dispatched are given back to triage, where they wait for a decision as before. What was dismissed, acknowledged or resumed stays so.',
  auth: 'any',
  params: { recoveryId: 'recovery' },
  answers: { 202: { description: 'The recovery as it is being aborted.', schema: Recovery } },
  errors: ['recovery_already_ended'],
  async handle({ ctx, principal, params }) {
    const find = () => findRecovery(ctx.db, principal.account_id, params.recoveryId)
    await abort(ctx, within(principal, 'recovery', await find()))
    const recovery = within(principal, 'recovery', await find())
    return recoveryOf(recovery, await makersOf(ctx.sql, recovery))
  },
})
