import { Project, projectOf } from '../../shared/accounts/wire/account.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'

export const getProject = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}',
  tag: 'Projects',
  operation_id: 'getProject',
  summary: 'Get a project',
  description: 'With its settings, and what of its limits is used.',
  auth: 'any',
  params: { projectId: 'project' },
  answers: { 200: { description: 'The project.', schema: Project } },
  errors: [],
  handle: async ({ ctx, principal, params }) => projectOf(await projectIn(ctx, principal, params.projectId)),
})
