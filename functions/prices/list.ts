import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { listPrices as list } from '../../shared/prices/queries/prices.ts'
import { OwnPrice, ownPriceOf } from '../../shared/prices/wire/prices.ts'

export const listPrices = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/prices',
  tag: 'Projects',
  operation_id: 'listPrices',
  summary: "List a project's own prices",
  description:
    'By model, those that begin last first. A model without one has the price of the list that Assay brings, or none.',
  auth: 'any',
  params: { projectId: 'project' },
  answers: { 200: { description: 'The prices.', schema: z.array(OwnPrice) } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await scopeOf(ctx, principal, params.projectId)
    return (await list(ctx.db, params.projectId, LIMITS.prices_per_project)).map(ownPriceOf)
  },
})
