import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { readPage } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn, scopeOf } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, pageSize, uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { listDeliveries as list } from '../../shared/outbox/queries/deliveries.ts'
import { DELIVERY_STATES } from '../../shared/outbox/vocabulary.ts'
import { DeliveryPage, type DeliveryRow, deliveryOf } from '../../shared/outbox/wire/deliveries.ts'

const keyOf = (row: DeliveryRow) => [row.created_text, row.id]
const placeOf = ([created_text, id]: string[]) => ({ created_text: created_text!, id: id! })

export const listDeliveries = endpoint({
  method: 'get',
  path: '/v1/deliveries',
  tag: 'Runs',
  operation_id: 'listDeliveries',
  summary: 'List callbacks and alerts that were sent',
  description: `Newest first, and what became of each. Those that are over are kept for ${LIMITS.delivery_days} days.`,
  auth: 'any',
  query: z.strictObject({
    project_id: uuid('Only deliveries of this project.').optional(),
    run_id: uuid('Only callbacks of this run.').optional(),
    state: z.enum(DELIVERY_STATES).optional().describe('Only those that are so far.'),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.deliveries_page),
  }),
  answers: { 200: { description: 'The deliveries.', schema: DeliveryPage } },
  errors: ['invalid_cursor', 'not_found'],
  async handle({ ctx, principal, query }) {
    const { cursor, limit, project_id, ...filters } = query
    if (filters.run_id !== undefined) await runIn(ctx, principal, filters.run_id)
    const scope = await scopeOf(ctx, principal, project_id)
    const project_ids = await projectIdsOf(ctx.db, scope)
    const read = (after: string[] | undefined, limit: number) =>
      list(ctx.sql, { project_ids, ...filters, before: after && placeOf(after), limit })
    const identity = { list: 'deliveries', ...scope, filters }
    const page = await readPage(ctx, identity, { cursor, limit }, read, keyOf)
    return { deliveries: page.rows.map(deliveryOf), next_cursor: page.next_cursor }
  },
})
