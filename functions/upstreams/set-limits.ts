import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { namedHost } from '../../shared/upstreams/rules/upstream.ts'
import { changeLimits } from '../../shared/upstreams/verbs/set-limits.ts'
import { LimitOrder, SetLimits } from '../../shared/upstreams/wire/upstream-limits.ts'

export const setUpstreamLimits = endpoint({
  method: 'put',
  path: '/v1/upstreams',
  tag: 'Projects',
  operation_id: 'setUpstreamLimits',
  summary: 'Set limits of an upstream',
  description:
    "Takes the place of the limits that were set for this host and label. They count for every upstream of that name, also for one that is called for the first time later, from the next call on; of these and of what answers report, the lower counts. A limit of seconds or a minute is spread evenly; one of an hour or a day is a stock, which may be used as fast as the others allow. Tokens are what an agent's steps report.",
  auth: 'session',
  role: 'owner',
  atomic: true,
  body: LimitOrder,
  answers: { 200: { description: 'What counts from now on.', schema: SetLimits } },
  errors: ['not_found', 'too_many_limits'],
  async handle({ ctx, principal, body, reply }) {
    const { project_id: named, label = '', host: given, ...limits } = body
    const host = namedHost(given)
    const scope = await scopeOf(ctx, principal, named)
    const own = await projectIdsOf(ctx.db, scope)
    const [project_id] = own
    if (project_id === undefined || own.length > 1)
      throw new ApiError(
        'invalid_request',
        'Field "project_id" is missing: the account has several projects.',
      )
    reply.project_id = project_id
    reply.changes = await changeLimits(ctx, { project_id, host, label }, limits)
    return { project_id, host, label: label === '' ? null : label, ...limits }
  },
})
