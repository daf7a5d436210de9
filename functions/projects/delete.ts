import { deleteProject as remove } from '../../shared/accounts/verbs/projects.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { label } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

export const deleteProject = endpoint({
  method: 'delete',
  path: '/v1/projects/{projectId}',
  tag: 'Projects',
  operation_id: 'deleteProject',
  summary: 'Delete a project',
  description:
    'For good. Its keys are dead within five seconds; agents, runs and items are out of reach at once and removed in the background.',
  auth: 'session',
  role: 'owner',
  atomic: true,
  params: { projectId: 'project' },
  query: z.strictObject({
    confirm: label(LIMITS.name_characters, 'The name of the project, to say that you mean it.'),
  }),
  answers: { 202: { description: 'The project is gone; no body.' } },
  errors: [],
  async handle({ ctx, principal, params, query }) {
    await remove(ctx, await projectIn(ctx, principal, params.projectId), query.confirm)
  },
})
