import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { within } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { findUpstream } from '../../shared/upstreams/queries/shown-upstreams.ts'
import { changeLimits } from '../../shared/upstreams/verbs/set-limits.ts'

export const unsetUpstreamLimits = endpoint({
  method: 'delete',
  path: '/v1/upstreams/{upstreamId}/limits',
  tag: 'Projects',
  operation_id: 'unsetUpstreamLimits',
  summary: 'Unset the limits of an upstream',
  description:
    'All that people set and that counts for it, for its host too. What answers report still counts.',
  auth: 'session',
  role: 'owner',
  atomic: true,
  params: { upstreamId: 'upstream' },
  query: z.strictObject({
    label: z
      .string()
      .max(LIMITS.name_characters)
      .optional()
      .describe(
        'Only those that were set for this variable; empty for those of every credential of the host.',
      ),
  }),
  answers: { 204: { description: 'No limit that a person set counts for it.' } },
  errors: [],
  async handle({ ctx, principal, params, query, reply }) {
    const project_ids = await projectIdsOf(ctx.db, { account_id: principal.account_id, project_id: null })
    const { project_id, host, agent_id, declared } = within(
      principal,
      'upstream',
      await findUpstream(ctx.sql, project_ids, params.upstreamId),
    )
    reply.project_id = project_id
    reply.changes = []
    // An agent's own limits are in its declaration.
    const own = agent_id === null ? declared.filter(({ of }) => of === 'project') : []
    for (const { label } of own)
      if (query.label === undefined || query.label === label)
        reply.changes.push(...(await changeLimits(ctx, { project_id, host, label }, null)))
  },
})
