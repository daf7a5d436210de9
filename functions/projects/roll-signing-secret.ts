import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { rollSigningSecret as roll } from '../../shared/outbox/verbs/signing-secrets.ts'
import { SigningSecret, signingSecretOf } from '../../shared/outbox/wire/deliveries.ts'

export const rollSigningSecret = endpoint({
  method: 'post',
  path: '/v1/projects/{projectId}/signing-secret/roll',
  tag: 'Projects',
  operation_id: 'rollSigningSecret',
  summary: 'Replace the secret that signs callbacks and alerts',
  description:
    'For 24 hours messages carry two signatures, of the new secret and of the one before, so that receivers can change over without losing any. Rolling again ends the older one at once.',
  auth: 'session',
  role: 'owner',
  shows_secret: true,
  atomic: true,
  params: { projectId: 'project' },
  answers: { 200: { description: 'The new secret.', schema: SigningSecret } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await scopeOf(ctx, principal, params.projectId)
    return signingSecretOf(await roll(ctx, params.projectId))
  },
})
