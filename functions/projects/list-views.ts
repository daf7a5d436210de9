import * as z from 'zod'
import { listSavedViews as list } from '../../shared/accounts/queries/saved-views.ts'
import { SavedView, savedViewOf } from '../../shared/accounts/wire/saved-views.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'

export const listSavedViews = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/views',
  tag: 'Projects',
  operation_id: 'listSavedViews',
  summary: 'List saved views',
  description: 'Your own and those that are shared, by name.',
  auth: 'session',
  params: { projectId: 'project' },
  answers: { 200: { description: 'The views.', schema: z.array(SavedView) } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await projectIn(ctx, principal, params.projectId)
    const viewer = { project_id: params.projectId, member_id: principal.member_id }
    return (await list(ctx.db, viewer)).map(savedViewOf)
  },
})
