import { z } from '@hono/zod-openapi'
import { parseItemRecordId } from '../../shared/domain/ids.ts'
import { LIMITS } from '../../shared/domain/limits.ts'
import { readPage } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { notFound, runIn, scopeOf } from '../../shared/http/scope.ts'
import { cursor, itemId, outcome, pageSize, uuid } from '../../shared/schema/input.ts'
import { Step, stepOf } from '../../shared/schema/wire.ts'
import { type FoundStep, listSteps as list, type StepFilter } from '../../shared/store/steps.ts'

const keyOf = (step: FoundStep) => [step.started_text, step.run_id, String(step.seq), String(step.step_no)]

function stepKey([started_text, run_id, seq, step_no]: string[]): StepFilter['before'] {
  return { started_text: started_text!, run_id: run_id!, seq: Number(seq), step_no: Number(step_no) }
}

export const listSteps = endpoint({
  method: 'get',
  path: '/v1/steps',
  tag: 'Items',
  operation_id: 'listSteps',
  summary: 'Search steps',
  auth: 'any',
  query: z.strictObject({
    item_id: itemId.optional().describe('Only steps of items with this identifier of yours.'),
    record_id: uuid('Only the trace of the item with this record id.').optional(),
    run_id: uuid('Only steps of this run.').optional(),
    project_id: uuid('Only steps of this project.').optional(),
    outcome_status: outcome.optional().describe('Only steps with this verdict.'),
    sort: z.enum(['recent']).default('recent').describe('Most recent first.'),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.steps_page),
  }),
  answers: {
    200: {
      description: 'The steps.',
      schema: z.object({ steps: z.array(Step), next_cursor: z.string().nullable() }).openapi('StepPage'),
    },
  },
  errors: ['invalid_cursor', 'not_found'],
  async handle({ ctx, principal, query }) {
    const { cursor, limit, sort: _, project_id, ...filters } = query
    const record = filters.record_id === undefined ? undefined : parseItemRecordId(filters.record_id)
    if (filters.record_id !== undefined && record === undefined) throw notFound('item')
    const run_id = record?.run_id ?? filters.run_id
    if (run_id !== undefined) await runIn(ctx, principal, run_id)
    const scope = await scopeOf(ctx, principal, project_id)
    const { item_id, outcome_status } = filters
    const found = { ...scope, item_id, run_id, seq: record?.seq, outcome: outcome_status }
    const read = (after: string[] | undefined, limit: number) =>
      list(ctx.db, { ...found, before: after && stepKey(after), limit })
    const page = await readPage(ctx, { list: 'steps', ...scope, filters }, { cursor, limit }, read, keyOf)
    return { steps: page.rows.map(stepOf), next_cursor: page.next_cursor }
  },
})
