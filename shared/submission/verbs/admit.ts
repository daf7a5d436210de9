// Checks whether a submission, replay or recovery may start runs. Guarantee: it refuses a suspended account, an account
// that has used up its quota of open runs or kept bytes, and a project that has as many open runs as it may.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { quotaError } from '../../quotas/rules/quotas.ts'
import { findSubmitter, type Submitter } from '../queries/open-run.ts'
import type { RunRejection } from '../rules/run-admission.ts'

/**
 * Returns the agent's current deployment, if this many more runs may be started for it. Requests at the same moment may
 * exceed a bound together: the bounds protect the installation, not an invoice.
 *
 * @throws ApiError `not_found`, `account_suspended`, `plan_limit`, `quota_exceeded`, `too_many_open_runs`
 */
export async function admitRuns(
  ctx: Context,
  projectId: string,
  agentId: string,
  runs = 1,
): Promise<{ deployment_id: string | null; under_budget: boolean }> {
  const submitter = await findSubmitter(ctx.sql, projectId, agentId, runs)
  if (!submitter) throw new ApiError('not_found', 'There is no such agent in this account.')
  const { refusal, deployment_id, under_budget } = submitter
  if (refusal !== null) throw refused(refusal, submitter, runs)
  return { deployment_id, under_budget }
}

function refused(
  code: RunRejection,
  { account_id, plan, account_room, bytes_room, open_runs, open_runs_bound }: Submitter,
  runs: number,
): ApiError {
  const more = runs === 1 ? '' : `, and ${runs} would be started`
  if (code === 'account_suspended')
    return new ApiError(code, 'The account is suspended; no runs are accepted.')
  if (code === 'plan_limit') {
    const limit = plan.open_runs!
    return quotaError({ account_id, name: 'open_runs', limit, used: limit - account_room!, more: runs })
  }
  if (code === 'quota_exceeded') {
    const limit = plan.kept_bytes!
    return quotaError({ account_id, name: 'kept_bytes', limit, used: limit - bytes_room! })
  }
  return new ApiError(
    code,
    `The project has ${open_runs} runs that have not ended and may have ${open_runs_bound}${more}.`,
    'Wait for runs to end, or send many items as one batch.',
    LIMITS.open_runs_retry_s,
  )
}
