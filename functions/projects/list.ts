import * as z from 'zod'
import { listProjects as list } from '../../shared/accounts/queries/projects.ts'
import { Project, projectOf } from '../../shared/accounts/wire/account.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'

export const listProjects = endpoint({
  method: 'get',
  path: '/v1/projects',
  tag: 'Projects',
  operation_id: 'listProjects',
  summary: 'List projects',
  description: 'Every project of the account, oldest first; a project key sees its own.',
  auth: 'any',
  answers: { 200: { description: 'The projects.', schema: z.array(Project) } },
  errors: [],
  async handle({ ctx, principal }) {
    const scope = await scopeOf(ctx, principal)
    return (await list(ctx.db, scope.account_id, scope.project_id)).map(projectOf)
  },
})
