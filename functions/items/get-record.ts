import { endpoint } from '../../shared/http/endpoint.ts'
import { itemIn, notFound, within } from '../../shared/http/scope.ts'
import { findItem } from '../../shared/items/queries/items.ts'
import { makersOfReused } from '../../shared/recovery/queries/makers.ts'
import { reusedVersionOf } from '../../shared/recovery/rules/makers.ts'
import { itemActionsOf } from '../../shared/recovery/rules/recovery.ts'
import { findStanding } from '../../shared/triage/queries/triage.ts'
import { ItemWithDecision, itemWithDecisionOf } from '../../shared/triage/wire/triage.ts'

export const getItemRecord = endpoint({
  method: 'get',
  path: '/v1/durable/runs/{itemId}',
  tag: 'Items',
  operation_id: 'getItemRecord',
  summary: 'Get the record of an item',
  description:
    'By its record id: what went in, what came out, both verdicts, what it cost, what was decided about it and what may be done now.',
  auth: 'any',
  params: { itemId: 'item' },
  answers: { 200: { description: 'The record.', schema: ItemWithDecision } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const key = await itemIn(ctx, principal, params.itemId)
    const [item, standing] = await Promise.all([
      findItem(ctx.db, principal.account_id, key),
      findStanding(ctx.sql, key),
    ])
    // The rows of a run may be removed between the two queries.
    if (standing === undefined) throw notFound('item')
    const makers = item?.replayed_from == null ? [] : await makersOfReused(ctx.sql, key)
    return itemWithDecisionOf(
      within(principal, 'item', item),
      standing,
      itemActionsOf(standing),
      makers.map(reusedVersionOf),
    )
  },
})
