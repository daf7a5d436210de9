import { parseItemRecordId } from '../../shared/domain/ids.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { within } from '../../shared/http/scope.ts'
import { ItemRecord, itemRecordOf } from '../../shared/schema/wire.ts'
import { findItem } from '../../shared/store/items.ts'

export const getItemRecord = endpoint({
  method: 'get',
  path: '/v1/durable/runs/{itemId}',
  tag: 'Items',
  operation_id: 'getItemRecord',
  summary: 'Get the record of an item',
  description: 'By its record id: what went in, what came out, both verdicts and what it cost.',
  auth: 'any',
  params: { itemId: 'item' },
  answers: { 200: { description: 'The record.', schema: ItemRecord } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const key = parseItemRecordId(params.itemId)
    const item = key && (await findItem(ctx.db, principal.account_id, key))
    return itemRecordOf(within(principal, 'item', item))
  },
})
