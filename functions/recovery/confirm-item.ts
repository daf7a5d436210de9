import { endpoint } from '../../shared/http/endpoint.ts'
import { authorOf } from '../../shared/http/principal.ts'
import { itemIn } from '../../shared/http/scope.ts'
import { confirmItem as confirm } from '../../shared/recovery/verbs/replay.ts'

export const confirmItem = endpoint({
  method: 'post',
  path: '/v1/durable/runs/{itemId}/confirm',
  tag: 'Recovery',
  operation_id: 'confirmItem',
  summary: 'Confirm what is asked about an item',
  description:
    'Of a review that asks, such as whether an answer is a refusal: it is. The row leaves the feed, results say that the item did not work, and it can be replayed; the recorded verdict stays. What is not so is called wrong, of the question.',
  auth: 'any',
  params: { itemId: 'item' },
  answers: { 200: { description: 'It is confirmed.' } },
  errors: ['verdict_not_judgeable'],
  async handle({ ctx, principal, params }) {
    await confirm(ctx, await itemIn(ctx, principal, params.itemId), authorOf(principal))
  },
})
