import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { readPage } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { notFound, runIn, scopeOf } from '../../shared/http/scope.ts'
import { checkPeriod } from '../../shared/http/validation.ts'
import { count } from '../../shared/kernel/answer-fields.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { pageSize } from '../../shared/kernel/fields.ts'
import { parseItemRecordId } from '../../shared/kernel/ids.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { isFullOfBytes } from '../../shared/kernel/page-bytes.ts'
import { countFound, type FoundStep, type StepKey, searchSteps } from '../../shared/traces/queries/search.ts'
import { catchUpSearch } from '../../shared/traces/verbs/index-steps.ts'
import { StepQuery } from '../../shared/traces/wire/step-query.ts'
import { Step, stepOf } from '../../shared/traces/wire/steps.ts'

export const listSteps = endpoint({
  method: 'get',
  path: '/v1/steps',
  tag: 'Items',
  operation_id: 'listSteps',
  summary: 'Search steps',
  description:
    'Filters combine. `q` finds every step whose name, error code, error message, input or output (the first 4,000 characters of each) has all its words, the last of which may be the beginning of one; and every step whose name holds `q` as it stands. With `in=messages` it finds those whose messages have them: words of parameters, schemas and names do not count. Steps that retention has taken are not found. A page may hold fewer steps than `limit` and still lead on, where their inputs and outputs are large.',
  auth: 'any',
  heavy: true,
  query: StepQuery.extend({
    count: z.literal('true').optional().describe('Also report how many steps there are, up to a bound.'),
    limit: pageSize(LIMITS.steps_page),
  }),
  answers: {
    200: {
      description: 'The steps, each with its parent item and run.',
      schema: z
        .object({
          steps: z.array(Step),
          next_cursor: z.string().nullable(),
          total: count(
            `With count: how many steps pass the filters, up to ${LIMITS.search_counted}.`,
          ).optional(),
          more_than_total: z.boolean().optional().describe('With count: whether there are more than total.'),
        })
        .openapi('StepPage'),
    },
  },
  errors: ['invalid_cursor', 'not_found'],
  async prepare(ctx, { query: { record_id, q } }) {
    if (record_id === undefined || q !== undefined) await catchUpSearch(ctx)
  },
  async handle({ ctx, principal, query }) {
    const { cursor, limit, project_id, record_id, outcome, outcome_status, count, ...filters } = query
    if (outcome && outcome_status && outcome !== outcome_status)
      throw new ApiError('invalid_request', 'Query parameters "outcome" and "outcome_status" differ.')
    checkPeriod(filters)
    const record = record_id === undefined ? undefined : parseItemRecordId(record_id)
    if (record_id !== undefined && record === undefined) throw notFound('item')
    for (const id of [record?.run_id, filters.run_id]) if (id !== undefined) await runIn(ctx, principal, id)
    const scope = await scopeOf(ctx, principal, project_id)
    const project_ids = await projectIdsOf(ctx.db, scope)
    const { min_cost_usd: min_cost_micro, ...rest } = filters
    const found = { ...rest, min_cost_micro, record, outcome: outcome ?? outcome_status }
    const read = (after: string[] | undefined, limit: number) =>
      searchSteps(ctx, { ...found, project_ids, after: after && keyOf(after), limit })
    const identity = { list: 'steps', ...scope, filters: { ...found, record: record_id } }
    const page = await readPage(ctx, identity, { cursor, limit }, read, textsOf, isFullOfBytes)
    // A first page that is the last one needs no count.
    const isWhole = cursor === undefined && page.next_cursor === null
    const counted = () => countFound(ctx, { ...found, project_ids, limit })
    return {
      steps: page.rows.map(row =>
        stepOf(row, filters.q === undefined ? undefined : { q: filters.q, in: filters.in }),
      ),
      next_cursor: page.next_cursor,
      ...(count && (isWhole ? { total: page.rows.length, more_than_total: false } : await counted())),
    }
  },
})

const textsOf = (step: FoundStep) =>
  [step.cost_micro, step.started_text, step.run_id, step.seq, step.step_no].map(String)

function keyOf([cost, started_text, run_id, seq, step_no]: string[]): StepKey {
  return {
    cost_micro: Number(cost),
    started_text: started_text!,
    run_id: run_id!,
    seq: Number(seq),
    step_no: Number(step_no),
  }
}
