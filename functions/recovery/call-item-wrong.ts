import { callItemWrong as callWrong } from '../../shared/engine/replay.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { itemIn } from '../../shared/http/scope.ts'

export const callItemWrong = endpoint({
  method: 'post',
  path: '/v1/durable/runs/{itemId}/wrong',
  tag: 'Recovery',
  operation_id: 'callItemWrong',
  summary: 'Call the verdict of an item wrong',
  description:
    'Of an item in triage: what its row says is not so. The row leaves the feed, as by dismissing. Of an item that is ok: it did not work. It comes into triage as a review, to be decided about like any row; its run keeps its status. What was recorded stays in either case; results say what people found. Only what was judged can be wrong, so not that an item failed.',
  auth: 'any',
  params: { itemId: 'item' },
  answers: { 200: { description: 'It is called wrong.' } },
  errors: ['verdict_not_judgeable'],
  async handle({ ctx, principal, params }) {
    await callWrong(ctx, await itemIn(ctx, principal, params.itemId))
  },
})
