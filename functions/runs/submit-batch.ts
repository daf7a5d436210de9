import type { z } from 'zod'
import { itemsOfBody, itemsOfLines } from '../../shared/engine/item-lines.ts'
import { submitRun } from '../../shared/engine/submit.ts'
import { bodyOf, checkContentEncoding } from '../../shared/http/body.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { Fingerprint } from '../../shared/http/fingerprint.ts'
import { agentOrdered, agentToStart } from '../../shared/http/scope.ts'
import { submitItems } from '../../shared/items/verbs/submit-at-once.ts'
import { BatchItem, BatchOrder, BatchQuery, orderOf, SubmittedBatch } from '../../shared/schema/run-order.ts'

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
    'not_found',
    'idempotency_key_reused',
    'too_many_open_runs',
  ],
  async handle({ ctx, principal, body, text, lines, request, reply }) {
    const { run_id, total_items } = await (lines === undefined ? submitBody() : submitLines(lines))
    return { group_id: run_id, run_id, total_items }

    async function submitBody() {
      const agent = await agentToStart(ctx, principal, body)
      const fingerprint = async () => new Fingerprint(['batch', null]).text(text).digest()
      const order = orderOf(agent, body, fingerprint)
      const submitted = await submitItems(ctx, order, () => itemsOfBody(text), agent.confirm)
      reply.project_id = agent.project_id
      return submitted
    }
    async function submitLines(batch: z.output<typeof BatchQuery>) {
      const agent = await agentOrdered(ctx, principal, batch)
      const fingerprint = new Fingerprint(['batch', batch])
      const order = orderOf(agent, batch, async () => fingerprint.digest())
      checkContentEncoding(request)
      const sent = bodyOf(request)
      const read = order.idempotency === null ? sent : fingerprint.through(sent)
      const submitted = await submitRun(ctx, order, itemsOfLines(read))
      reply.project_id = agent.project_id
      return submitted
    }
  },
})
