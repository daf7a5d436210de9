import { endpoint } from '../../shared/http/endpoint.ts'
import { authorOf } from '../../shared/http/principal.ts'
import { itemIn } from '../../shared/http/scope.ts'
import { dismissItem as dismiss } from '../../shared/recovery/verbs/replay.ts'

export const dismissItem = endpoint({
  method: 'post',
  path: '/v1/durable/runs/{itemId}/dismiss',
  tag: 'Recovery',
  operation_id: 'dismissItem',
  summary: 'Decide that nothing more is done about an item',
  description:
    'The row leaves the feed and the verdict stays. A run turns from partial to completed with its last item that is replayed or dismissed. A held item ends as cancelled.',
  auth: 'any',
  params: { itemId: 'item' },
  answers: { 200: { description: 'The item is dismissed.' } },
  errors: ['item_already_decided'],
  async handle({ ctx, principal, params }) {
    await dismiss(ctx, await itemIn(ctx, principal, params.itemId), authorOf(principal))
  },
})
