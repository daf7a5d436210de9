import { endpoint } from '../../shared/http/endpoint.ts'
import { starterOf } from '../../shared/http/principal.ts'
import { agentIn, runIn, scopeOf } from '../../shared/http/scope.ts'
import { checkPeriod } from '../../shared/http/validation.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { makersOf } from '../../shared/recovery/queries/makers.ts'
import { findRecovery } from '../../shared/recovery/queries/recoveries.ts'
import { planRecovery, startRecovery } from '../../shared/recovery/verbs/recover.ts'
import { CohortPlan, cohortPlanOf, RecoveryOrder } from '../../shared/recovery/wire/cohort.ts'
import { Recovery, recoveryOf } from '../../shared/recovery/wire/recoveries.ts'

export const createRecovery = endpoint({
  method: 'post',
  path: '/v1/recoveries',
  tag: 'Recovery',
  operation_id: 'createRecovery',
  summary: 'Act on a cohort',
  description:
    'Replays all items in the dlq lane that pass the filter and waited for a decision when it was started, or with `status` the cancelled ones of a run: in one run for each agent; with `first`, some of them before. With `action` dismisses, acknowledges or resumes them instead, in any number. All of it is done in the background, and is one entry of the audit log.',
  auth: 'any',
  body: RecoveryOrder,
  answers: {
    200: { description: 'What it would act on; nothing was changed.', schema: CohortPlan },
    202: { description: 'It has started.', schema: Recovery },
  },
  errors: [
    'nothing_to_recover',
    'not_found',
    'account_suspended',
    'plan_limit',
    'quota_exceeded',
    'too_many_open_runs',
  ],
  async handle({ ctx, principal, body, reply }) {
    const { filter, name = null, first = null, deployment = 'current', budget_cents = null } = body
    const { action = 'replay', reuse = 'auto', from_step = null } = body
    const { account_id, project_id } = await scopeOf(ctx, principal, body.project_id)
    if (project_id === null) throw new ApiError('invalid_request', 'Field "project_id" is missing.')
    reply.project_id = project_id
    if (filter.run_id !== undefined) await runIn(ctx, principal, filter.run_id)
    if (filter.agent_id !== undefined) await agentIn(ctx, principal, filter.agent_id)
    checkPeriod(filter, 'filter')
    const order = { project_id, action, filter, deployment, reuse, from_step }
    if (body.dry_run) return cohortPlanOf(await planRecovery(ctx, order))
    const created_by = starterOf(principal)
    const id = await startRecovery(ctx, { ...order, name, first, budget_cents, created_by })
    reply.status = 202
    const recovery = (await findRecovery(ctx.db, account_id, id))!
    return recoveryOf(recovery, await makersOf(ctx.sql, recovery))
  },
})
