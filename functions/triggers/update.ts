import { changeTrigger } from '../../shared/engine/triggers.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { triggerIn } from '../../shared/http/scope.ts'
import { NewTrigger, TriggerChanges, triggerOf } from '../../shared/schema/wire-triggers.ts'

export const updateTrigger = endpoint({
  method: 'patch',
  path: '/v1/triggers/{triggerId}',
  tag: 'Schedules',
  operation_id: 'updateTrigger',
  summary: "Rename a trigger, or give it its sender's secret",
  description:
    'Another name makes another URL and another secret, which is in this answer and never again; the old URL answers 404 at once. A signing_secret that the sender made changes without a new URL.',
  auth: 'any',
  atomic: true,
  params: { triggerId: 'trigger' },
  body: TriggerChanges,
  answers: {
    200: { description: 'The trigger, with the secret if a new one was made.', schema: NewTrigger },
  },
  errors: ['trigger_name_taken'],
  async handle({ ctx, principal, params, body }) {
    const secret = await changeTrigger(ctx, await triggerIn(ctx, principal, params.triggerId), body)
    const changed = await triggerIn(ctx, principal, params.triggerId)
    return { ...triggerOf(changed, ctx.config.base_url), secret }
  },
})
