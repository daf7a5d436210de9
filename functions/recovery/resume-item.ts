import { endpoint } from '../../shared/http/endpoint.ts'
import { authorOf } from '../../shared/http/principal.ts'
import { itemIn } from '../../shared/http/scope.ts'
import { resumeItem as resume } from '../../shared/recovery/verbs/replay.ts'
import { Continued, ResumeOrder } from '../../shared/recovery/wire/recovery.ts'

export const resumeItem = endpoint({
  method: 'post',
  path: '/v1/durable/runs/{itemId}/resume',
  tag: 'Recovery',
  operation_id: 'resumeItem',
  makes_work: true,
  summary: 'Resume a held item',
  description:
    "The same item goes on from its last recorded step, after its agent held it or at its budget. An item that waits for the project's credit needs no resume: it continues as soon as there is some.",
  auth: 'any',
  params: { itemId: 'item' },
  body: ResumeOrder.optional(),
  answers: { 202: { description: 'The item is queued.', schema: Continued } },
  errors: ['item_not_paused'],
  async handle({ ctx, principal, params, body = {} }) {
    return resume(ctx, await itemIn(ctx, principal, params.itemId), body, authorOf(principal))
  },
})
