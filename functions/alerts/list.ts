import { listAlerts as list } from '../../shared/alerts/queries/alerts.ts'
import { ALERT_STATES } from '../../shared/alerts/vocabulary.ts'
import { Alert, alertOf, alertRule } from '../../shared/alerts/wire/alerts.ts'
import { readPage } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn, scopeOf } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, pageSize, uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

export const listAlerts = endpoint({
  method: 'get',
  path: '/v1/alerts',
  tag: 'Schedules',
  operation_id: 'listAlerts',
  summary: 'List alerts',
  description:
    'Newest first. A rule alerts once about one schedule, agent or project until that is resolved, however often it finds the same; a missed schedule is reported again after 24 hours.',
  auth: 'any',
  query: z.strictObject({
    project_id: uuid('Only alerts of this project.').optional(),
    agent_id: uuid('Only alerts about this agent.').optional(),
    rule: alertRule.optional().describe('Only alerts of this rule.'),
    state: z
      .enum(ALERT_STATES)
      .optional()
      .describe('Only those that are still so, or only those that are over.'),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.alerts_page),
  }),
  answers: {
    200: {
      description: 'The alerts.',
      schema: z.object({ alerts: z.array(Alert), next_cursor: z.string().nullable() }),
    },
  },
  errors: ['invalid_cursor', 'not_found'],
  async handle({ ctx, principal, query }) {
    const { cursor, limit, project_id, ...filters } = query
    const scope = await scopeOf(ctx, principal, project_id)
    if (filters.agent_id !== undefined) await agentIn(ctx, principal, filters.agent_id)
    const read = (after: string[] | undefined, limit: number) =>
      list(ctx.db, { ...scope, ...filters, after: after as [string, string] | undefined, limit })
    const identity = { list: 'alerts', ...scope, filters }
    const page = await readPage(ctx, identity, { cursor, limit }, read, row => [row.key, row.id])
    return { alerts: page.rows.map(({ key: _, ...row }) => alertOf(row)), next_cursor: page.next_cursor }
  },
})
