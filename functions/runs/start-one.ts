import { endpoint } from '../../shared/http/endpoint.ts'
import { Fingerprint } from '../../shared/http/fingerprint.ts'
import { starterOf } from '../../shared/http/principal.ts'
import { agentToStart } from '../../shared/http/scope.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { itemOfBody } from '../../shared/submission/verbs/item-lines.ts'
import { submitRun } from '../../shared/submission/verbs/submit.ts'
import { OneOffOrder, orderOf, StartedRun, startedRunOf } from '../../shared/submission/wire/run-order.ts'

export const startOneOffRun = endpoint({
  method: 'post',
  path: '/v1/runs',
  tag: 'Runs',
  operation_id: 'startOneOffRun',
  makes_work: true,
  summary: 'Run an agent, named by slug or id, over one item',
  description: 'The same as starting a run of the agent by its path, for callers that know only its slug.',
  auth: 'any',
  body_bytes: LIMITS.input_body_bytes,
  body: OneOffOrder,
  answers: { 202: { description: 'Accepted and queued.', schema: StartedRun } },
  errors: [
    'unpriced_model',
    'account_suspended',
    'plan_limit',
    'quota_exceeded',
    'not_found',
    'idempotency_key_reused',
    'too_many_open_runs',
  ],
  async handle({ ctx, principal, body, text, reply }) {
    const agent = await agentToStart(ctx, principal, body)
    const fingerprint = async () => (await new Fingerprint(['one-off', agent.id]).text(text)).digest()
    const order = orderOf(agent, body, starterOf(principal), fingerprint)
    const run = await submitRun(ctx, order, itemOfBody(text), agent.confirm)
    reply.project_id = agent.project_id
    return startedRunOf(run)
  },
})
