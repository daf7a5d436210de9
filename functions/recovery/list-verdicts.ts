import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { readPage } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, pageSize, slug, uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { listVerdicts as list } from '../../shared/triage/queries/verdicts.ts'
import { firstDayAt } from '../../shared/triage/rules/verdicts.ts'
import { judgedReasonOf, VerdictPage } from '../../shared/triage/wire/verdicts.ts'

export const listVerdicts = endpoint({
  method: 'get',
  path: '/v1/verdicts',
  tag: 'Recovery',
  operation_id: 'listVerdicts',
  summary: 'List how good verdicts are',
  description: `By agent and reason, over the last ${LIMITS.verdicts_days} days: how many verdicts people judged in triage, and how many they called wrong; what was wrong most often first. A verdict counts as confirmed when its item was replayed or dismissed one by one, or when a question about it was confirmed. What was acknowledged is undecided; what was replayed or dismissed as a cohort nobody looked at: neither counts. A cohort that is called wrong does. An ok item that was called wrong counts once it is decided about.`,
  auth: 'any',
  query: z.strictObject({
    project_id: uuid('Only verdicts of this project.').optional(),
    agent: slug.optional().describe('Only verdicts of the agent with this slug.'),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.verdicts_page),
  }),
  answers: { 200: { description: 'The reasons that were judged.', schema: VerdictPage } },
  errors: ['invalid_cursor', 'not_found'],
  async handle({ ctx, principal, query }) {
    const { cursor, limit, project_id, agent } = query
    const scope = await scopeOf(ctx, principal, project_id)
    const found = { agent, from_day: firstDayAt(ctx.now()), project_ids: await projectIdsOf(ctx.db, scope) }
    const page = await readPage(
      ctx,
      { list: 'verdicts', ...scope, filters: { agent } },
      { cursor, limit },
      (after, limit) =>
        list(ctx.sql, { ...found, before: after && { wrong: Number(after[0]), key: after[1]! }, limit }),
      row => [String(row.wrong), row.key],
    )
    return { rows: page.rows.map(judgedReasonOf), next_cursor: page.next_cursor }
  },
})
