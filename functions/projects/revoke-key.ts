import { revokeKey } from '../../shared/accounts/verbs/keys.ts'
import { ApiKey, apiKeyOf } from '../../shared/accounts/wire/account.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'

export const revokeApiKey = endpoint({
  method: 'delete',
  path: '/v1/projects/{projectId}/api-keys/{keyId}',
  tag: 'Projects',
  operation_id: 'revokeApiKey',
  summary: 'Revoke an API key',
  description: 'The key is dead everywhere within five seconds, for ever.',
  auth: 'any',
  atomic: true,
  params: { projectId: 'project', keyId: 'API key' },
  answers: { 200: { description: 'The key that was revoked.', schema: ApiKey } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await scopeOf(ctx, principal, params.projectId)
    return apiKeyOf(await revokeKey(ctx, params.projectId, params.keyId))
  },
})
