import { endpoint } from '../../shared/http/endpoint.ts'
import { itemIn } from '../../shared/http/scope.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { reopenItem as reopen } from '../../shared/recovery/verbs/replay.ts'

export const reopenItem = endpoint({
  method: 'post',
  path: '/v1/durable/runs/{itemId}/reopen',
  tag: 'Recovery',
  operation_id: 'reopenItem',
  summary: 'Take back a decision about an item',
  description: `An item that was acknowledged, dismissed, confirmed or called wrong within the last ${LIMITS.reopen_minutes} minutes waits for a decision again, where it stood in the feed; a run that that completed is partial again. What was replayed or resumed goes on, and a held item that was dismissed has ended: neither can be taken back.`,
  auth: 'any',
  params: { itemId: 'item' },
  answers: { 200: { description: 'The row is back in the feed.' } },
  errors: ['item_not_reopenable'],
  async handle({ ctx, principal, params }) {
    await reopen(ctx, await itemIn(ctx, principal, params.itemId))
  },
})
