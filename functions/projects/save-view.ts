import { saveView as save } from '../../shared/accounts/verbs/saved-views.ts'
import { NewSavedView, SavedView, savedViewOf } from '../../shared/accounts/wire/saved-views.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { checkRole } from '../../shared/http/principal.ts'
import { projectIn } from '../../shared/http/scope.ts'

export const saveView = endpoint({
  method: 'post',
  path: '/v1/projects/{projectId}/views',
  tag: 'Projects',
  operation_id: 'saveView',
  summary: 'Save a view of a list',
  description:
    'A list with its filters, by a name. Who only views may save their own; sharing takes an operator.',
  auth: 'session',
  role: 'viewer',
  atomic: true,
  params: { projectId: 'project' },
  body: NewSavedView,
  answers: { 201: { description: 'The view.', schema: SavedView } },
  errors: ['too_many_saved_views'],
  async handle({ ctx, principal, params, body: { shared = false, ...view } }) {
    await projectIn(ctx, principal, params.projectId)
    if (shared) checkRole(principal, 'operator')
    const member_id = shared ? null : principal.member_id
    return savedViewOf(await save(ctx, { ...view, project_id: params.projectId, member_id }))
  },
})
