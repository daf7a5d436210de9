import { endpoint } from '../../shared/http/endpoint.ts'
import { itemIn } from '../../shared/http/scope.ts'
import { itemRecordId } from '../../shared/kernel/ids.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { findLineage } from '../../shared/recovery/queries/replay.ts'
import { Lineage } from '../../shared/recovery/wire/recovery.ts'

export const getLineage = endpoint({
  method: 'get',
  path: '/v1/durable/runs/{itemId}/lineage',
  tag: 'Items',
  operation_id: 'getLineage',
  summary: 'Get the lineage of an item',
  description:
    'The item with everything it descends from by replays, and all replays of those, oldest first; at most 100 of them.',
  auth: 'any',
  params: { itemId: 'item' },
  answers: { 200: { description: 'The lineage.', schema: Lineage } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const key = await itemIn(ctx, principal, params.itemId)
    const lineage = await findLineage(ctx.sql, key, LIMITS.lineage_items)
    return lineage.map(({ run_id, seq, generation, replayed_from, status, outcome }) => ({
      record_id: itemRecordId(run_id, seq),
      run_id,
      generation,
      replayed_from,
      status,
      outcome_status: outcome,
    }))
  },
})
