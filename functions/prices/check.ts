import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { findUsedModels, readPrices } from '../../shared/prices/queries/used-models.ts'
import { priceState } from '../../shared/prices/rules/price-check.ts'
import { PriceCheck, priceCheckOf } from '../../shared/prices/wire/price-check.ts'

const DAY_MS = 86_400_000

export const checkPrices = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/prices/check',
  tag: 'Projects',
  operation_id: 'checkPrices',
  summary: 'See which of the models that were called lately have no price, or an old one',
  description: `Of the last ${LIMITS.prices_checked_days} days. Nothing is changed by it, and no recorded cost by any price that is set afterwards.`,
  auth: 'any',
  params: { projectId: 'project' },
  answers: { 200: { description: 'The models, with their prices.', schema: PriceCheck } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await scopeOf(ctx, principal, params.projectId)
    const now = ctx.now()
    const since = now - LIMITS.prices_checked_days * DAY_MS
    const [used, prices] = await Promise.all([
      findUsedModels(ctx.sql, params.projectId, since),
      readPrices(ctx.sql, params.projectId),
    ])
    const models = used.models.map(model => ({ ...model, ...priceState(model.model, prices, now) }))
    return priceCheckOf(used, models, since)
  },
})
