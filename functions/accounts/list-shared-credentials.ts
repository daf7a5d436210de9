import { endpoint } from '../../shared/http/endpoint.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { findSharedCredentials } from '../../shared/upstreams/verbs/shared-credentials.ts'
import { SharedCredential } from '../../shared/upstreams/wire/upstreams.ts'

export const listSharedCredentials = endpoint({
  method: 'get',
  path: '/v1/admin/shared-credentials',
  // With those of agents: only their unit can open environments.
  tag: 'Agents',
  operation_id: 'listSharedCredentials',
  summary: 'List credentials that several projects use',
  description:
    'Each project paces a provider by itself: two that call it with the same credential share its limit without knowing of each other. Compared are the values of those that were called lately; none is returned.',
  auth: 'operator',
  answers: { 200: { description: 'The credentials.', schema: z.array(SharedCredential) } },
  errors: [],
  handle: ({ ctx }) => findSharedCredentials(ctx),
})
