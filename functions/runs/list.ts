import * as z from 'zod'
import { NEXT_CURSOR, readPage, setNextCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn, scopeOf } from '../../shared/http/scope.ts'
import { checkPeriod } from '../../shared/http/validation.ts'
import { listRuns as list } from '../../shared/items/queries/runs.ts'
import { OUTCOMES, RUN_STATES, RUN_STATUSES } from '../../shared/items/vocabulary.ts'
import { Run, runOf } from '../../shared/items/wire/runs.ts'
import { cursor, instant, itemId, pageSize, slug, tag, uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { withRecovered } from '../../shared/recovery/queries/recovered.ts'
import { causeId } from '../../shared/triage/wire/causes.ts'

export const listRuns = endpoint({
  method: 'get',
  path: '/v2/runs',
  tag: 'Runs',
  operation_id: 'listRuns',
  summary: 'List runs',
  description: 'Newest first.',
  auth: 'any',
  query: z.strictObject({
    agent: slug.optional().describe('Only runs of the agent with this slug.'),
    item_id: itemId.optional().describe('Only runs that touched this item of yours, replays included.'),
    tag: tag.optional().describe('Only runs that have this tag.'),
    state: z
      .enum(RUN_STATES)
      .optional()
      .describe(
        'Only runs that have not ended, only those that have, or only those that wait for a person: held. One that waits for money is not held: it continues when there is some. A run that is stopped ends with its last item.',
      ),
    status: z.enum(RUN_STATUSES).optional().describe('Only runs in this status.'),
    outcome: z
      .enum([...OUTCOMES, 'not_ok'])
      .optional()
      .describe('Only runs whose items came to this at worst; not_ok is degraded or failed.'),
    replay_of: uuid('Only runs that replay items of this run.').optional(),
    cause_id: causeId.describe('Only runs with items that have this cause.').optional(),
    from: instant('Only runs submitted at or after this time.').optional(),
    to: instant('Only runs submitted before this time.').optional(),
    project_id: uuid('Only runs of this project.').optional(),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.runs_page),
  }),
  answers: { 200: { description: 'The runs.', schema: z.array(Run), headers: NEXT_CURSOR } },
  errors: ['invalid_cursor', 'not_found'],
  async handle({ ctx, principal, query, reply }) {
    const { cursor, limit, project_id, ...filters } = query
    checkPeriod(filters)
    const scope = await scopeOf(ctx, principal, project_id)
    if (filters.replay_of !== undefined) await runIn(ctx, principal, filters.replay_of)
    const read = ([before_id]: string[] = [], limit: number) =>
      list(ctx.db, { ...scope, ...filters, before_id, limit })
    const page = await readPage(ctx, { list: 'runs', ...scope, filters }, { cursor, limit }, read, run => [
      run.id,
    ])
    setNextCursor(reply.headers, page)
    return (await withRecovered(ctx.sql, page.rows)).map(runOf)
  },
})
