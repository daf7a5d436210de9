import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { within } from '../../shared/http/scope.ts'
import { findUpstream } from '../../shared/upstreams/queries/shown-upstreams.ts'
import { retryUpstream as retry } from '../../shared/upstreams/verbs/retry-upstream.ts'
import { Upstream, upstreamOf } from '../../shared/upstreams/wire/upstreams.ts'

export const retryUpstream = endpoint({
  method: 'post',
  path: '/v1/upstreams/{upstreamId}/retry',
  tag: 'Projects',
  operation_id: 'retryUpstream',
  summary: 'Try an upstream now',
  description:
    'An item that waits for it is sent at once, and not only at the next planned try: if that goes well, the others follow. One that is open stays as it is.',
  auth: 'any',
  params: { upstreamId: 'upstream' },
  answers: { 202: { description: 'It is being tried.', schema: Upstream } },
  errors: [],
  async handle({ ctx, principal, params }) {
    // All of the account, so that a key learns that the upstream is another project's.
    const project_ids = await projectIdsOf(ctx.db, { account_id: principal.account_id, project_id: null })
    const found = await findUpstream(ctx.sql, project_ids, params.upstreamId)
    return upstreamOf(await retry(ctx, within(principal, 'upstream', found)))
  },
})
