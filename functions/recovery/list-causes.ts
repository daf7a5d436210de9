import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { readPage } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn, scopeOf } from '../../shared/http/scope.ts'
import { checkPeriod } from '../../shared/http/validation.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, instant, pageSize, slug, uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { countCauses, listCauses as list } from '../../shared/triage/queries/causes.ts'
import { CausePage, causeOf } from '../../shared/triage/wire/causes.ts'

const DESCRIPTION = `The most frequent first. Two items that did not work, or are held, have the same cause when they share agent, step, error code, reason and message, the message without what varies: numbers, ids, quoted texts, URLs, addresses, dates, paths, and texts of the item's own input. Messages that differ in no more than one word of five, beginning and end aside, count as the same as well.

All items count, decided about or not, as long as their records are kept. An item that ended without being dispatched has its cause once the tick has named it.`

const dayOf = (instant: string | undefined) => instant && new Date(instant).toISOString().slice(0, 10)

export const listCauses = endpoint({
  method: 'get',
  path: '/v1/causes',
  tag: 'Recovery',
  operation_id: 'listCauses',
  summary: 'List why items did not work',
  description: DESCRIPTION,
  auth: 'any',
  query: z
    .strictObject({
      project_id: uuid('Only causes of this project.').optional(),
      run_id: uuid('Only causes of this run, with its items counted.').optional(),
      agent: slug.optional().describe('Only causes of the agent with this slug.'),
      from: instant('Only items that came into triage at or after this day (UTC).').optional(),
      to: instant('Only items that came into triage at or before this day (UTC).').optional(),
      waiting: z
        .literal('true')
        .optional()
        .describe('Only causes with items that wait for a decision, the one with most of them first.'),
      cursor: cursor.optional(),
      limit: pageSize(LIMITS.triage_page),
    })
    .refine(query => query.run_id === undefined || (query.from ?? query.to) === undefined, {
      path: ['run_id'],
      message: 'does not go with "from" and "to": a run is counted whole',
    }),
  answers: { 200: { description: 'The causes.', schema: CausePage } },
  errors: ['invalid_cursor', 'not_found'],
  async handle({ ctx, principal, query }) {
    const { cursor, limit, project_id, run_id, agent, from, to } = query
    checkPeriod({ from, to })
    if (run_id !== undefined) await runIn(ctx, principal, run_id)
    const scope = await scopeOf(ctx, principal, project_id)
    const order = query.waiting === undefined ? ('count' as const) : ('waiting' as const)
    const filters = { run_id, agent, from_day: dayOf(from), to_day: dayOf(to), order }
    const found = { ...filters, project_ids: await projectIdsOf(ctx.db, scope) }
    const page = await readPage(
      ctx,
      { list: 'causes', ...scope, filters },
      { cursor, limit },
      (after, limit) =>
        list(ctx.sql, { ...found, before: after && { count: Number(after[0]), id: after[1]! }, limit }),
      row => [String(row[order]), row.id],
    )
    const total = await countCauses(ctx.sql, { ...found, limit: LIMITS.causes_counted })
    return { rows: page.rows.map(causeOf), total, next_cursor: page.next_cursor }
  },
})
