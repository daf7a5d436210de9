import { endpoint } from '../../shared/http/endpoint.ts'
import { triggerIn } from '../../shared/http/scope.ts'
import { refuseUnpricedStart } from '../../shared/prices/verbs/prices.ts'
import { refuseUnknownGenerator } from '../../shared/sources/verbs/kept-source.ts'
import { shownStartOf } from '../../shared/submission/wire/start-settings.ts'
import { changeTrigger } from '../../shared/triggers/verbs/triggers.ts'
import { NewTrigger, TriggerChanges, triggerOf } from '../../shared/triggers/wire/triggers.ts'

export const updateTrigger = endpoint({
  method: 'patch',
  path: '/v1/triggers/{triggerId}',
  tag: 'Schedules',
  operation_id: 'updateTrigger',
  summary: "Rename a trigger, give it its sender's secret, or say what its fires start",
  description:
    'Another name makes another URL and another secret, which is in this answer and never again; the old URL answers 404 at once. A signing_secret that the sender made changes without a new URL.',
  auth: 'any',
  shows_secret: true,
  atomic: true,
  params: { triggerId: 'trigger' },
  body: TriggerChanges,
  answers: {
    200: { description: 'The trigger, with the secret if a new one was made.', schema: NewTrigger },
  },
  errors: ['trigger_name_taken', 'unpriced_model'],
  async handle({ ctx, principal, params, body }) {
    const trigger = await triggerIn(ctx, principal, params.triggerId)
    await refuseUnknownGenerator(ctx, trigger, body.source)
    if (body.budget_cents !== undefined || body.allow_unpriced !== undefined)
      await refuseUnpricedStart(ctx, trigger, { ...shownStartOf(trigger), ...body })
    const secret = await changeTrigger(ctx, trigger, body)
    const changed = await triggerIn(ctx, principal, params.triggerId)
    return { ...triggerOf(changed, ctx.config.base_url), secret }
  },
})
