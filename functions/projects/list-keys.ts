import * as z from 'zod'
import { keysInChunks } from '../../shared/accounts/queries/api-keys.ts'
import { ApiKey, apiKeyOf } from '../../shared/accounts/wire/account.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { begun, streamed } from '../../shared/http/stream.ts'

export const listApiKeys = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/api-keys',
  tag: 'Projects',
  operation_id: 'listApiKeys',
  summary: 'List API keys',
  description:
    'The live keys of a project, newest first, streamed: an answer that breaks off was not complete. No key is ever shown again after it was made.',
  auth: 'any',
  streams: true,
  params: { projectId: 'project' },
  answers: { 200: { description: 'The keys.', schema: z.array(ApiKey) } },
  errors: [],
  async handle({ principal, params, read }) {
    await read(ctx => scopeOf(ctx, principal, params.projectId))
    const chunks = keysInChunks(params.projectId, next => read(ctx => next(ctx.db)))
    return streamed(await begun(chunks), apiKeyOf, 'array')
  },
})
