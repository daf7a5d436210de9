import { revokeKey } from '../../shared/accounts/verbs/keys.ts'
import { madeBy } from '../../shared/accounts/verbs/made.ts'
import { apiKeyOf, RevokedApiKey } from '../../shared/accounts/wire/account.ts'
import { Revoking, revocationOf } from '../../shared/accounts/wire/members.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'

export const revokeApiKey = endpoint({
  method: 'delete',
  path: '/v1/projects/{projectId}/api-keys/{keyId}',
  tag: 'Projects',
  operation_id: 'revokeApiKey',
  summary: 'Revoke an API key',
  description:
    'The key is dead everywhere within five seconds, for ever. The answer lists what was made with it that stays: keys, triggers, deployments, schedules and more. With `revoke_keys` and `revoke_triggers` these are revoked as well.',
  auth: 'any',
  atomic: true,
  params: { projectId: 'project', keyId: 'API key' },
  query: Revoking,
  answers: { 200: { description: 'The key that was revoked.', schema: RevokedApiKey } },
  errors: [],
  async handle({ ctx, principal, params, query, reply }) {
    await scopeOf(ctx, principal, params.projectId)
    const key = { account_id: principal.account_id, project_id: params.projectId, id: params.keyId }
    const { row, revoked } = await revokeKey(ctx, key, revocationOf(query))
    reply.after = madeBy(key, principal)
    return { ...apiKeyOf(row), ...revoked }
  },
})
