import { endpoint } from '../../shared/http/endpoint.ts'
import { checkPricing, isOwner } from '../../shared/http/principal.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { setPrice } from '../../shared/prices/verbs/prices.ts'
import { NewPrice, OwnPrice, ownPriceOf } from '../../shared/prices/wire/prices.ts'

export const createPrice = endpoint({
  method: 'post',
  path: '/v1/projects/{projectId}/prices',
  tag: 'Projects',
  operation_id: 'createPrice',
  summary: 'Set what a model costs, from a moment on',
  description:
    'Of a model that a price list has, or that an owner has priced, only an owner who is signed in sets another price; an owner’s price wins over those of keys. Counts for items that are taken from then on; what was recorded keeps its cost, and what was unpriced stays so. Items that waited for this price alone continue within a minute. The same model and moment again takes the place of the price it was.',
  auth: 'any',
  atomic: true,
  params: { projectId: 'project' },
  body: NewPrice,
  answers: { 201: { description: 'The price.', schema: OwnPrice } },
  errors: ['too_many_prices'],
  async handle({ ctx, principal, params, body }) {
    await scopeOf(ctx, principal, params.projectId)
    checkPricing(principal, body.model)
    const { effective_from, ...price } = body
    const from = effective_from === undefined ? undefined : new Date(effective_from)
    return ownPriceOf(
      await setPrice(ctx, params.projectId, { ...price, effective_from: from, by_owner: isOwner(principal) }),
    )
  },
})
