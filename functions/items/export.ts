import * as z from 'zod'
import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { endpoint, isNdjson } from '../../shared/http/endpoint.ts'
import { exporting } from '../../shared/http/export-bounds.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { streamed } from '../../shared/http/stream.ts'
import { itemsInChunks, nextItems } from '../../shared/items/queries/items.ts'
import { ItemRecord, itemRecordOf } from '../../shared/items/wire/runs.ts'
import { firstIdAt } from '../../shared/kernel/ids.ts'

/** A run that was made before the request is in it, though another clock dated it; later runs would keep it from ending. */
const CLOCKS_APART_MS = 60_000

export const exportItemRecords = endpoint({
  method: 'get',
  path: '/v1/durable/runs',
  tag: 'Items',
  operation_id: 'exportItemRecords',
  summary: 'Export every item record',
  description:
    'Streamed, run by run, oldest first: one record a line with Accept: application/x-ndjson, else one JSON array. An answer that breaks off was not complete.',
  logged: true,
  auth: 'any',
  heavy: true,
  answers: { 200: { description: 'The records.', schema: z.array(ItemRecord), ndjson: ItemRecord } },
  errors: [],
  async handle({ ctx, principal, request, read }) {
    return exporting(principal.account_id, async ended => {
      const project_ids = await read(async ctx => {
        const scope = await scopeOf(ctx, principal)
        return projectIdsOf(ctx.db, scope)
      })
      const records = itemsInChunks(
        (project_id, after, limit) => read(ctx => nextItems(ctx.sql, project_id, after, limit)),
        project_ids,
        firstIdAt(ctx.now() + CLOCKS_APART_MS),
      )
      return streamed(records, itemRecordOf, isNdjson(request, 'accept') ? 'lines' : 'array', ended)
    })
  },
})
