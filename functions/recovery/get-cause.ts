import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf, within } from '../../shared/http/scope.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { findDecisionsOfCause } from '../../shared/recovery/queries/recoveries.ts'
import { findRunsOfCause, listCauses } from '../../shared/triage/queries/causes.ts'
import { CauseWithRuns, causeWithRunsOf } from '../../shared/triage/wire/causes.ts'

export const getCause = endpoint({
  method: 'get',
  path: '/v1/causes/{causeId}',
  tag: 'Recovery',
  operation_id: 'getCause',
  summary: 'Get a cause',
  description: 'With its counts over all items that are kept, and the newest runs with it.',
  auth: 'any',
  params: { causeId: 'cause' },
  answers: { 200: { description: 'The cause.', schema: CauseWithRuns } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const { account_id } = await scopeOf(ctx, principal)
    const project_ids = await projectIdsOf(ctx.db, { account_id, project_id: null })
    const [found] = await listCauses(ctx.sql, { project_ids, id: params.causeId, limit: 1 })
    const cause = within(principal, 'cause', found)
    const runs = await findRunsOfCause(ctx.sql, cause.project_id, cause.id, LIMITS.failure_groups)
    const decisions = await findDecisionsOfCause(ctx.sql, cause.project_id, cause.id)
    return causeWithRunsOf(cause, runs, decisions)
  },
})
