import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn } from '../../shared/http/scope.ts'
import { cancelRun as cancel, IN_FLIGHT } from '../../shared/items/verbs/cancel.ts'
import { Run, runOf } from '../../shared/items/wire/runs.ts'
import { centsOf, usdOf } from '../../shared/prices/rules/pricing.ts'

export const cancelRun = endpoint({
  method: 'post',
  path: '/v2/runs/{runId}/cancel',
  tag: 'Runs',
  operation_id: 'cancelRun',
  summary: 'Cancel a run',
  description:
    'Nothing more of it is dispatched. Items in flight finish and keep their verdicts, or are aborted: their requests are closed, and they end `cancelled` with the steps and the cost recorded so far. A run that had stopped by itself ends `cancelled` and keeps its `stop_reason`. A run that was cancelled before may be cancelled again while items of it are in flight, to abort them.',
  auth: 'any',
  params: { runId: 'run' },
  body: z
    .strictObject({ in_flight: z.enum(IN_FLIGHT).optional().describe('`finish` by default.') })
    .optional(),
  answers: {
    202: {
      description: 'The run as it is being cancelled.',
      schema: Run.extend({
        aborted: z
          .object({ items: z.int(), cost_cents: z.int(), cost_usd: z.number() })
          .describe('What was in flight and was aborted, and what its recorded steps had cost.'),
      }),
    },
  },
  errors: ['run_already_ended'],
  async handle({ ctx, principal, params, body }) {
    const { project_id, id: run_id } = await runIn(ctx, principal, params.runId)
    const { items, cost_micro } = await cancel(ctx, { project_id, run_id, in_flight: body?.in_flight })
    const aborted = { items, cost_cents: centsOf(cost_micro), cost_usd: usdOf(cost_micro) }
    return { ...runOf(await runIn(ctx, principal, run_id)), aborted }
  },
})
