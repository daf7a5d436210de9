import * as z from 'zod'
import { NEXT_CURSOR, readPage, sealCursor, setNextCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn } from '../../shared/http/scope.ts'
import { listItems as list } from '../../shared/items/queries/items.ts'
import { ITEM_STATUSES, OUTCOMES } from '../../shared/items/vocabulary.ts'
import { RunItem, runItemOf } from '../../shared/items/wire/runs.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { cursor, itemId, pageSize, partitionKey, uuid } from '../../shared/kernel/fields.ts'
import { parseItemRecordId } from '../../shared/kernel/ids.ts'
import { MiB } from '../../shared/kernel/limits/bytes.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { findRepaired } from '../../shared/recovery/queries/repaired.ts'
import { findCorrected } from '../../shared/triage/queries/verdicts.ts'
import { triageReason } from '../../shared/triage/wire/triage.ts'

export const listRunItems = endpoint({
  method: 'get',
  path: '/v2/runs/{runId}/items',
  tag: 'Runs',
  operation_id: 'listRunItems',
  summary: 'List the items of a run',
  description: `By default in the order they are dispatched. With a filter one page looks through at most ${LIMITS.items_looked_through} items, so it may hold fewer than \`limit\`, or none, and still lead on; so may one whose inputs and outputs are of ${LIMITS.page_bytes / MiB} MiB.`,
  auth: 'any',
  params: { runId: 'run' },
  query: z.strictObject({
    outcome: z
      .enum([...OUTCOMES, 'not_ok'])
      .optional()
      .describe('Only items with this verdict; not_ok is degraded, failed or held.'),
    status: z.enum(ITEM_STATUSES).optional().describe('Only items in this status.'),
    reason: triageReason.optional(),
    partition_key: partitionKey.optional().describe('Only items of this partition.'),
    item_id: itemId.optional().describe('Only items with this identifier of yours.'),
    after: uuid('Record id of an item of the run: only those that the list has after it.').optional(),
    order: z
      .enum(['asc', 'desc'])
      .optional()
      .describe('desc is the last one to be dispatched first; asc by default.'),
    payloads: z.literal('none').optional().describe('Leaves out inputs and outputs: both are null.'),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.items_page),
  }),
  answers: { 200: { description: 'The items.', schema: z.array(RunItem), headers: NEXT_CURSOR } },
  errors: ['invalid_cursor'],
  async handle({ ctx, principal, params, query, reply }) {
    const { cursor, limit, after, order, ...filters } = query
    const run = await runIn(ctx, principal, params.runId)
    const scope = { account_id: principal.account_id, project_id: run.project_id }
    const identity = { list: `items ${run.id}`, ...scope, filters: { ...filters, after, order } }
    const first = after === undefined ? undefined : seqIn(run.id, after)
    let lookedTo: number | null = null
    const read = async ([seq]: string[] = [], limit: number) => {
      const { project_id, id: run_id, total_items } = run
      const from = seq === undefined ? first : Number(seq)
      const before_seq = order === 'desc' ? (from ?? total_items + 1) : undefined
      const filter = { project_id, run_id, total_items, ...filters, after_seq: from ?? 0, before_seq, limit }
      const { rows, looked_to } = await list(ctx.db, filter)
      lookedTo = looked_to
      return rows
    }
    const page = await readPage(ctx, identity, { cursor, limit }, read, item => [String(item.seq)])
    if (lookedTo !== null) page.next_cursor ??= await sealCursor(ctx, identity, [String(lookedTo)])
    setNextCursor(reply.headers, page)
    const { project_id } = run
    const seqs = page.rows.map(({ seq }) => seq)
    const corrected = await findCorrected(ctx.sql, { project_id, run_id: run.id }, seqs)
    const notOk = page.rows.filter(({ seq, outcome }) => (corrected.get(seq) ?? outcome) !== 'ok')
    const keys = notOk.map(({ run_id, seq }) => ({ project_id, run_id, seq }))
    const repaired = await findRepaired(ctx.sql, keys)
    return page.rows.map(row => {
      const item = runItemOf(row, run)
      const corrected_outcome_status = corrected.get(row.seq) ?? null
      return { ...item, mended_by: repaired.get(item.id) ?? null, corrected_outcome_status }
    })
  },
})

function seqIn(run_id: string, record_id: string): number {
  const key = parseItemRecordId(record_id)
  if (key?.run_id === run_id) return key.seq
  throw new ApiError('invalid_request', 'Query parameter "after" is the record id of no item of this run.')
}
