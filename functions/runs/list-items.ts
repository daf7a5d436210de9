import { z } from 'zod'
import { LIMITS } from '../../shared/domain/limits.ts'
import { ITEM_STATUSES, OUTCOMES } from '../../shared/domain/vocabulary.ts'
import { NEXT_CURSOR, readPage, setNextCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn } from '../../shared/http/scope.ts'
import { cursor, pageSize } from '../../shared/schema/input.ts'
import { RunItem, runItemOf } from '../../shared/schema/wire.ts'
import { listItems } from '../../shared/store/items.ts'

export const listRunItems = endpoint({
  method: 'get',
  path: '/v2/runs/{runId}/items',
  tag: 'Runs',
  operation_id: 'listRunItems',
  summary: 'List the items of a run',
  description: 'In the order they are dispatched.',
  auth: 'any',
  params: { runId: 'run' },
  query: z.strictObject({
    outcome: z
      .enum([...OUTCOMES, 'not_ok'])
      .optional()
      .describe('Only items with this verdict; not_ok is degraded, failed or held.'),
    status: z.enum(ITEM_STATUSES).optional().describe('Only items in this status.'),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.items_page),
  }),
  answers: { 200: { description: 'The items.', schema: z.array(RunItem), headers: NEXT_CURSOR } },
  errors: ['invalid_cursor'],
  async handle({ ctx, principal, params, query, reply }) {
    const { cursor, limit, ...filters } = query
    const run = await runIn(ctx, principal, params.runId)
    const scope = { account_id: principal.account_id, project_id: run.project_id }
    const identity = { list: `items ${run.id}`, ...scope, filters }
    const read = ([seq = '0']: string[] = [], limit: number) =>
      listItems(ctx.db, { run_id: run.id, ...filters, after_seq: Number(seq), limit })
    const page = await readPage(ctx, identity, { cursor, limit }, read, item => [String(item.seq)])
    setNextCursor(reply.headers, page)
    return page.rows.map(item => runItemOf(item, run))
  },
})
