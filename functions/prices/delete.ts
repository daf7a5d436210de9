import { endpoint } from '../../shared/http/endpoint.ts'
import { checkPricing, isOwner } from '../../shared/http/principal.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { removePrice } from '../../shared/prices/verbs/prices.ts'
import { OwnPrice, ownPriceOf } from '../../shared/prices/wire/prices.ts'

export const deletePrice = endpoint({
  method: 'delete',
  path: '/v1/projects/{projectId}/prices/{priceId}',
  tag: 'Projects',
  operation_id: 'deletePrice',
  summary: 'Remove a price',
  description:
    'As with setting it, of a listed model, or one that an owner has priced, only an owner may. Items that are taken from now on have the price before it, or that of the list, or none. No recorded cost changes.',
  auth: 'any',
  atomic: true,
  params: { projectId: 'project', priceId: 'price' },
  answers: { 200: { description: 'The price that was removed.', schema: OwnPrice } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await scopeOf(ctx, principal, params.projectId)
    return ownPriceOf(
      await removePrice(ctx, params.projectId, params.priceId, {
        by_owner: isOwner(principal),
        may: model => checkPricing(principal, model),
      }),
    )
  },
})
