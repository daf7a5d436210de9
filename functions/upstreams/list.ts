import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { listUpstreams as list } from '../../shared/upstreams/queries/shown-upstreams.ts'
import { Upstream, upstreamOf } from '../../shared/upstreams/wire/upstreams.ts'

export const listUpstreams = endpoint({
  method: 'get',
  path: '/v1/upstreams',
  tag: 'Projects',
  operation_id: 'listUpstreams',
  summary: 'List what items wait for outside',
  description: `Agents' addresses and providers' credentials that were closed at least once: rate limits, outages, empty credit, refused keys. Those that do not let everything through come first, then the newest state; at most ${LIMITS.upstreams_per_project}. One that nobody calls is forgotten after ${LIMITS.upstream_kept_days} days.`,
  auth: 'any',
  query: z.strictObject({ project_id: uuid('Only upstreams of this project.').optional() }),
  answers: { 200: { description: 'The upstreams.', schema: z.array(Upstream) } },
  errors: ['not_found'],
  async handle({ ctx, principal, query }) {
    const scope = await scopeOf(ctx, principal, query.project_id)
    return (await list(ctx.sql, await projectIdsOf(ctx.db, scope))).map(upstreamOf)
  },
})
