import { endpoint } from '../../shared/http/endpoint.ts'
import { within } from '../../shared/http/scope.ts'
import { findDelivery } from '../../shared/outbox/queries/deliveries.ts'
import { resend } from '../../shared/outbox/verbs/deliver.ts'
import { Delivery, deliveryOf } from '../../shared/outbox/wire/deliveries.ts'

export const resendDelivery = endpoint({
  method: 'post',
  path: '/v1/deliveries/{deliveryId}/resend',
  tag: 'Runs',
  operation_id: 'resendDelivery',
  summary: 'Send again',
  description:
    'For what was delivered and lost by its receiver, or given up: tried once more and three times after. The id stays the same, so a receiver that has handled it recognizes it.',
  auth: 'any',
  params: { deliveryId: 'delivery' },
  answers: { 202: { description: 'It is being tried.', schema: Delivery } },
  errors: ['delivery_pending'],
  async handle({ ctx, principal, params }) {
    const found = await findDelivery(ctx.sql, principal.account_id, params.deliveryId)
    const delivery = within(principal, 'delivery', found)
    // A second read might already show the new attempt's result; the caller gets the state that this request set.
    const due_at = await resend(ctx, delivery.id)
    return deliveryOf({ ...delivery, state: 'pending', due_at, delivered_at: null })
  },
})
