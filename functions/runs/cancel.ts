import { cancelRun as cancel } from '../../shared/engine/cancel.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn } from '../../shared/http/scope.ts'
import { Run, runOf } from '../../shared/schema/wire.ts'

export const cancelRun = endpoint({
  method: 'post',
  path: '/v2/runs/{runId}/cancel',
  tag: 'Runs',
  operation_id: 'cancelRun',
  summary: 'Cancel a run',
  description: 'Nothing more of it is dispatched. Items at work finish and keep their verdicts.',
  auth: 'any',
  params: { runId: 'run' },
  answers: { 202: { description: 'The run as it is being cancelled.', schema: Run } },
  errors: ['run_already_ended'],
  async handle({ ctx, principal, params }) {
    const { project_id, id: run_id } = await runIn(ctx, principal, params.runId)
    await cancel(ctx, { project_id, run_id })
    return runOf(await runIn(ctx, principal, run_id))
  },
})
