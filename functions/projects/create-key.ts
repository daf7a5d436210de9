import * as z from 'zod'
import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import { KEY_ROLES } from '../../shared/accounts/vocabulary.ts'
import { apiKeyOf, NewApiKey } from '../../shared/accounts/wire/account.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { label } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { withinQuota } from '../../shared/quotas/verbs/quotas.ts'

export const createApiKey = endpoint({
  method: 'post',
  path: '/v1/projects/{projectId}/api-keys',
  tag: 'Projects',
  operation_id: 'createApiKey',
  summary: 'Create an API key',
  description:
    "The key is in this answer and never again. A key may make others for its own project, unless the project's settings forbid it.",
  auth: 'any',
  shows_secret: true,
  atomic: true,
  params: { projectId: 'project' },
  body: z.strictObject({
    name: label(LIMITS.api_key_name_characters, 'A label for people.'),
    role: z.enum(KEY_ROLES).optional().describe('A viewer only reads; an operator by default.'),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .describe(
        'From then on it is refused; never by default. A key that expires makes none that outlives it.',
      ),
  }),
  answers: { 201: { description: 'The key.', schema: NewApiKey } },
  errors: ['quota_exceeded'],
  async handle({ ctx, principal, params, body }) {
    const project = await projectIn(ctx, principal, params.projectId)
    if (principal.kind === 'key' && project.settings.keys_may_mint === false) {
      throw new ApiError('forbidden', 'Keys of this project may not make keys.', 'Sign in to make one.')
    }
    const expires_at = body.expires_at === undefined ? null : new Date(body.expires_at)
    const bound_ms = principal.kind === 'key' ? principal.expires_ms : null
    if (expires_at !== null && expires_at.getTime() <= ctx.now()) {
      throw new ApiError('invalid_request', 'Field "expires_at" is in the past.', 'Name a time to come.')
    }
    if (bound_ms !== null && (expires_at === null || expires_at.getTime() > bound_ms)) {
      throw new ApiError(
        'forbidden',
        'A key that expires makes none that outlives it.',
        `Set "expires_at" to ${new Date(bound_ms).toISOString()} or before, or sign in.`,
      )
    }
    const { row, key } = await withinQuota(ctx, { account_id: principal.account_id }, 'keys', ctx =>
      mintKey(ctx, params.projectId, body.name, { role: body.role, expires_at }),
    )
    return { ...apiKeyOf(row), key }
  },
})
