import { endpoint } from '../../shared/http/endpoint.ts'
import { authorOf } from '../../shared/http/principal.ts'
import { itemIn } from '../../shared/http/scope.ts'
import { callItemWrong as callWrong } from '../../shared/recovery/verbs/replay.ts'
import { WrongOrder } from '../../shared/recovery/wire/recovery.ts'

export const callItemWrong = endpoint({
  method: 'post',
  path: '/v1/durable/runs/{itemId}/wrong',
  tag: 'Recovery',
  operation_id: 'callItemWrong',
  summary: 'Call the verdict of an item wrong',
  description:
    'The verdict of an item in triage: it did work. The row leaves the feed, as by dismissing. The verdict of an ok item: it did not work. It comes into triage as a review, to be decided about like any row; its run keeps its status. Of a review, say with "of" what you looked at: what is asked, or that it was called wrong. Where something else is said of the item by now, nothing is done and the answer is 409. What was recorded stays in any case; results say what people found. Only what was judged can be wrong, so not that an item failed.',
  auth: 'any',
  params: { itemId: 'item' },
  body: WrongOrder.optional(),
  answers: { 200: { description: 'It is called wrong.' } },
  errors: ['verdict_not_judgeable'],
  async handle({ ctx, principal, params, body = {} }) {
    await callWrong(ctx, await itemIn(ctx, principal, params.itemId), body.of, authorOf(principal))
  },
})
