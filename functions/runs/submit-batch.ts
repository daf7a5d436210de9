import { bodyOf, checkContentEncoding } from '../../shared/http/body.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { Fingerprint } from '../../shared/http/fingerprint.ts'
import { starterOf } from '../../shared/http/principal.ts'
import { agentToStart } from '../../shared/http/scope.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { itemsOfLines, itemsOfList } from '../../shared/submission/verbs/item-lines.ts'
import { submitRun } from '../../shared/submission/verbs/submit.ts'
import {
  BatchItem,
  BatchOrder,
  BatchQuery,
  orderOf,
  SubmittedBatch,
  submittedBatchOf,
} from '../../shared/submission/wire/run-order.ts'

export const submitBatch = endpoint({
  method: 'post',
  path: '/v1/batches',
  tag: 'Runs',
  operation_id: 'submitBatch',
  makes_work: true,
  summary: 'Run an agent over a batch of items',
  description:
    'As application/json, or, for any number of items, as application/x-ndjson: one item a line, everything else in the query. All items are accepted or none: a refusal names the bad lines.',
  auth: 'any',
  body: BatchOrder,
  body_bytes: LIMITS.batch_bytes,
  list: 'items',
  lines: { query: BatchQuery, line: BatchItem, description: 'One item a line.' },
  answers: { 202: { description: 'Every item is queued.', schema: SubmittedBatch } },
  errors: [
    'invalid_line',
    'duplicate_item_id',
    'no_items',
    'too_many_items',
    'unpriced_model',
    'account_suspended',
    'plan_limit',
    'quota_exceeded',
    'not_found',
    'idempotency_key_reused',
    'too_many_open_runs',
  ],
  async handle({ ctx, principal, body, text, elements, lines, request, reply }) {
    const batch = lines ?? body
    const agent = await agentToStart(ctx, principal, batch)
    const fingerprint = new Fingerprint(['batch', lines ?? null])
    const order = orderOf(agent, batch, starterOf(principal), async () => fingerprint.digest())
    const run = await submitRun(ctx, order, lines === undefined ? fromBody() : fromLines(), async () => {
      await agent.confirm()
      if (lines !== undefined) checkContentEncoding(request)
    })
    reply.project_id = agent.project_id
    return submittedBatchOf(run)

    async function* fromBody() {
      if (order.idempotency !== null) await fingerprint.text(text)
      yield* itemsOfList(elements())
    }
    async function* fromLines() {
      checkContentEncoding(request)
      const sent = bodyOf(request)
      yield* itemsOfLines(order.idempotency === null ? sent : fingerprint.through(sent))
    }
  },
})
