import { z } from 'zod'
import { ApiError } from '../../shared/domain/errors.ts'
import { LIMITS } from '../../shared/domain/limits.ts'
import { mintKey } from '../../shared/engine/keys.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'
import { label } from '../../shared/schema/input.ts'
import { apiKeyOf, NewApiKey } from '../../shared/schema/wire-account.ts'

export const createApiKey = endpoint({
  method: 'post',
  path: '/v1/projects/{projectId}/api-keys',
  tag: 'Projects',
  operation_id: 'createApiKey',
  summary: 'Create an API key',
  description:
    "The key is in this answer and never again. A key may make others for its own project, unless the project's settings forbid it.",
  auth: 'any',
  atomic: true,
  params: { projectId: 'project' },
  body: z.strictObject({ name: label(LIMITS.api_key_name_characters, 'A label for people.') }),
  answers: { 201: { description: 'The key.', schema: NewApiKey } },
  errors: [],
  async handle({ ctx, principal, params, body }) {
    const project = await projectIn(ctx, principal, params.projectId)
    if (principal.kind === 'key' && project.settings.keys_may_mint === false) {
      throw new ApiError('forbidden', 'Keys of this project may not make keys.', 'Sign in to make one.')
    }
    const { row, key } = await mintKey(ctx, params.projectId, body.name)
    return { ...apiKeyOf(row), key }
  },
})
