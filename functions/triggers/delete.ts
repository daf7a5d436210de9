import { endpoint } from '../../shared/http/endpoint.ts'
import { triggerIn } from '../../shared/http/scope.ts'
import { deleteTrigger as remove } from '../../shared/triggers/verbs/triggers.ts'
import { Trigger, triggerOf } from '../../shared/triggers/wire/triggers.ts'

export const deleteTrigger = endpoint({
  method: 'delete',
  path: '/v1/triggers/{triggerId}',
  tag: 'Schedules',
  operation_id: 'deleteTrigger',
  summary: 'Delete a trigger',
  description: 'Its URL answers 404 from now on, for ever. The runs it started stay.',
  auth: 'any',
  atomic: true,
  params: { triggerId: 'trigger' },
  answers: { 200: { description: 'The trigger that was deleted.', schema: Trigger } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const trigger = await triggerIn(ctx, principal, params.triggerId)
    await remove(ctx, trigger)
    return triggerOf(trigger, ctx.config.base_url)
  },
})
