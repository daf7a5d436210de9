import { endpoint } from '../../shared/http/endpoint.ts'
import { within } from '../../shared/http/scope.ts'
import { findDelivery, listTries } from '../../shared/outbox/queries/deliveries.ts'
import { DeliveryRecord, deliveryRecordOf } from '../../shared/outbox/wire/deliveries.ts'

export const getDelivery = endpoint({
  method: 'get',
  path: '/v1/deliveries/{deliveryId}',
  tag: 'Runs',
  operation_id: 'getDelivery',
  summary: 'Read what was sent, and every try',
  description: 'With the body as it is sent, and of each try what the receiver answered.',
  auth: 'any',
  params: { deliveryId: 'delivery' },
  answers: { 200: { description: 'The delivery.', schema: DeliveryRecord } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const found = await findDelivery(ctx.sql, principal.account_id, params.deliveryId)
    const delivery = within(principal, 'delivery', found)
    return deliveryRecordOf(delivery, await listTries(ctx.sql, delivery))
  },
})
