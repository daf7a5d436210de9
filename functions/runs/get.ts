import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn } from '../../shared/http/scope.ts'
import { Run, runOf } from '../../shared/items/wire/runs.ts'

export const getRun = endpoint({
  method: 'get',
  path: '/v2/runs/{runId}',
  tag: 'Runs',
  operation_id: 'getRun',
  summary: 'Get the rollup of a run',
  description: 'How far it is and how it went: a run can be `completed` and `degraded`.',
  auth: 'any',
  params: { runId: 'run' },
  answers: { 200: { description: 'The run.', schema: Run } },
  errors: [],
  handle: async ({ ctx, principal, params }) => runOf(await runIn(ctx, principal, params.runId)),
})
