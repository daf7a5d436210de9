import * as z from 'zod'
import { findSavedView } from '../../shared/accounts/queries/saved-views.ts'
import { deleteView } from '../../shared/accounts/verbs/saved-views.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { checkRole } from '../../shared/http/principal.ts'
import { notFound, projectIn } from '../../shared/http/scope.ts'

export const deleteSavedView = endpoint({
  method: 'delete',
  path: '/v1/projects/{projectId}/views/{viewId}',
  tag: 'Projects',
  operation_id: 'deleteSavedView',
  summary: 'Delete a saved view',
  description: 'One of your own, or as an operator a shared one.',
  auth: 'session',
  role: 'viewer',
  atomic: true,
  params: { projectId: 'project', viewId: 'saved view' },
  answers: { 200: { description: 'It is gone.', schema: z.object({ id: z.uuid() }) } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await projectIn(ctx, principal, params.projectId)
    const viewer = { project_id: params.projectId, member_id: principal.member_id }
    const view = await findSavedView(ctx.db, viewer, params.viewId)
    if (view === undefined) throw notFound('saved view')
    if (view.member_id === null) checkRole(principal, 'operator')
    await deleteView(ctx, view.project_id, view.id)
    return { id: view.id }
  },
})
