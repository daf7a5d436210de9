import { endpoint } from '../../shared/http/endpoint.ts'
import { Fingerprint } from '../../shared/http/fingerprint.ts'
import { starterOf } from '../../shared/http/principal.ts'
import { agentIn, agentToStart } from '../../shared/http/scope.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { itemOfBody } from '../../shared/submission/verbs/item-lines.ts'
import { submitRun } from '../../shared/submission/verbs/submit.ts'
import { orderOf, RunOrderOfOne, StartedRun, startedRunOf } from '../../shared/submission/wire/run-order.ts'

export const startRun = endpoint({
  method: 'post',
  path: '/v1/agents/{agentId}/runs',
  tag: 'Runs',
  operation_id: 'startRun',
  makes_work: true,
  summary: 'Run an agent over one item',
  description: 'One run over one item, of the deployment that is current when it starts.',
  auth: 'any',
  params: { agentId: 'agent' },
  body_bytes: LIMITS.input_body_bytes,
  body: RunOrderOfOne,
  answers: { 202: { description: 'Accepted and queued.', schema: StartedRun } },
  errors: [
    'unpriced_model',
    'account_suspended',
    'plan_limit',
    'quota_exceeded',
    'idempotency_key_reused',
    'too_many_open_runs',
  ],
  async handle({ ctx, principal, params, body, text, reply }) {
    const agent_id = params.agentId
    if (body.agent_id !== undefined && body.agent_id !== agent_id) {
      await agentIn(ctx, principal, agent_id)
      throw new ApiError('invalid_request', 'Field "agent_id" names another agent than the path.')
    }
    const agent = await agentToStart(ctx, principal, { agent_id })
    const fingerprint = async () => (await new Fingerprint(['run', agent.id]).text(text)).digest()
    const order = orderOf(agent, body, starterOf(principal), fingerprint)
    const run = await submitRun(ctx, order, itemOfBody(text), agent.confirm)
    reply.project_id = agent.project_id
    return startedRunOf(run)
  },
})
