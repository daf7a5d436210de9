import { whyItem as why } from '../../shared/claims/verbs/why.ts'
import { Why, whyOf } from '../../shared/claims/wire/why.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { itemIn, notFound } from '../../shared/http/scope.ts'

export const whyItem = endpoint({
  method: 'get',
  path: '/v1/durable/runs/{itemId}/why',
  tag: 'Items',
  operation_id: 'whyItem',
  summary: 'Explain why an item is not running',
  description:
    'One token, one sentence, and the figures they rest on, as they are at the moment. `runtime_starting` and `provider_rate` are conclusions: nothing has come back from the run yet, and the last attempt ended in the words of a rate limit.',
  auth: 'any',
  params: { itemId: 'item' },
  answers: { 200: { description: 'Why.', schema: Why } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const key = await itemIn(ctx, principal, params.itemId)
    const found = await why(ctx, key)
    if (found === undefined) throw notFound('item')
    return whyOf(key.run_id, found)
  },
})
