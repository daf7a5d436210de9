import { endpoint } from '../../shared/http/endpoint.ts'
import { triggerIn } from '../../shared/http/scope.ts'
import { Trigger, triggerOf } from '../../shared/triggers/wire/triggers.ts'

export const getTrigger = endpoint({
  method: 'get',
  path: '/v1/triggers/{triggerId}',
  tag: 'Schedules',
  operation_id: 'getTrigger',
  summary: 'Get a trigger',
  description: 'With its URL, and when it last started a run. Its secret is never shown again.',
  auth: 'any',
  params: { triggerId: 'trigger' },
  answers: { 200: { description: 'The trigger.', schema: Trigger } },
  errors: [],
  handle: async ({ ctx, principal, params }) =>
    triggerOf(await triggerIn(ctx, principal, params.triggerId), ctx.config.base_url),
})
