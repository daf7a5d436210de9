import { endpoint } from '../../shared/http/endpoint.ts'
import { authorOf } from '../../shared/http/principal.ts'
import { itemIn } from '../../shared/http/scope.ts'
import { acknowledgeItem as acknowledge } from '../../shared/recovery/verbs/replay.ts'

export const acknowledgeItem = endpoint({
  method: 'post',
  path: '/v1/durable/runs/{itemId}/acknowledge',
  tag: 'Recovery',
  operation_id: 'acknowledgeItem',
  summary: 'Take an item out of the feed',
  description:
    'Its verdict stays, and so does a run that is partial because of it: only replaying or dismissing an item decides about it, and both are still possible. A held item stays held.',
  auth: 'any',
  params: { itemId: 'item' },
  answers: { 200: { description: 'The row has left the feed.' } },
  errors: ['item_already_decided'],
  async handle({ ctx, principal, params }) {
    await acknowledge(ctx, await itemIn(ctx, principal, params.itemId), authorOf(principal))
  },
})
