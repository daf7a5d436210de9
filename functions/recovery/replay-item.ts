import { endpoint } from '../../shared/http/endpoint.ts'
import { starterOf } from '../../shared/http/principal.ts'
import { itemIn } from '../../shared/http/scope.ts'
import { fieldsOf } from '../../shared/json/json.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { replayItem as replay } from '../../shared/recovery/verbs/replay.ts'
import { Continued, ReplayOrder } from '../../shared/recovery/wire/recovery.ts'

export const replayItem = endpoint({
  method: 'post',
  path: '/v1/durable/runs/{itemId}/replay',
  tag: 'Recovery',
  operation_id: 'replayItem',
  makes_work: true,
  summary: 'Replay an item that did not work or was cancelled',
  description:
    'Makes a new item beside it, in a run of its own; the verdict of the original stays. What it recorded is taken over at no cost, as `reuse` says: by itself (auto) the answer that was at fault is asked again, and what came before it is not. An item is replayed again only when its last replay has ended without working.',
  auth: 'any',
  params: { itemId: 'item' },
  body_bytes: LIMITS.input_body_bytes,
  body: ReplayOrder.optional(),
  answers: { 202: { description: 'The replay is queued.', schema: Continued } },
  errors: [
    'item_not_replayable',
    'not_found',
    'account_suspended',
    'plan_limit',
    'quota_exceeded',
    'too_many_open_runs',
  ],
  async handle({ ctx, principal, params, body = {}, text }) {
    const key = await itemIn(ctx, principal, params.itemId)
    const input = 'input' in body ? fieldsOf(text).get('input') : undefined
    if (input !== undefined && new TextEncoder().encode(input).length > LIMITS.item_input_bytes)
      throw new ApiError('invalid_request', `Field "input" is longer than ${LIMITS.item_input_bytes} bytes.`)
    const { reuse, from_step, deployment, budget_cents } = body
    return replay(ctx, key, { reuse, from_step, input, deployment, budget_cents }, starterOf(principal))
  },
})
