import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn } from '../../shared/http/scope.ts'
import { readRunFailures } from '../../shared/triage/queries/failures.ts'
import { RunFailures } from '../../shared/triage/wire/failures.ts'

export const getRunFailures = endpoint({
  method: 'get',
  path: '/v2/runs/{runId}/failures',
  tag: 'Runs',
  operation_id: 'getRunFailures',
  summary: 'Count what did not work in a run',
  description:
    'By reason, by cluster and by partition, decided about or not; and what of its model calls was not read, or has no price.',
  auth: 'any',
  params: { runId: 'run' },
  answers: { 200: { description: 'The counts.', schema: RunFailures } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const run = await runIn(ctx, principal, params.runId)
    return readRunFailures(ctx.sql, run)
  },
})
