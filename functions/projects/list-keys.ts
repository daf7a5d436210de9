import * as z from 'zod'
import { listKeys } from '../../shared/accounts/queries/api-keys.ts'
import { ApiKey, apiKeyOf } from '../../shared/accounts/wire/account.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'

export const listApiKeys = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/api-keys',
  tag: 'Projects',
  operation_id: 'listApiKeys',
  summary: 'List API keys',
  description: 'The live keys of a project, newest first. No key is ever shown again after it was made.',
  auth: 'any',
  params: { projectId: 'project' },
  answers: { 200: { description: 'The keys.', schema: z.array(ApiKey) } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await scopeOf(ctx, principal, params.projectId)
    return (await listKeys(ctx.db, params.projectId)).map(apiKeyOf)
  },
})
