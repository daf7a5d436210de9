import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { readSigningSecret } from '../../shared/outbox/verbs/signing-secrets.ts'
import { SigningSecret, signingSecretOf } from '../../shared/outbox/wire/deliveries.ts'

export const getSigningSecret = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/signing-secret',
  tag: 'Projects',
  operation_id: 'getSigningSecret',
  summary: 'Read the secret that signs callbacks and alerts',
  description:
    'For receivers, who check with it that a message comes from here. Who read it stands in the log.',
  logged: true,
  auth: 'session',
  role: 'owner',
  shows_secret: true,
  params: { projectId: 'project' },
  answers: { 200: { description: 'The secret.', schema: SigningSecret } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await scopeOf(ctx, principal, params.projectId)
    return signingSecretOf(await readSigningSecret(ctx, params.projectId))
  },
})
