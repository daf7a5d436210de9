import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'
import { removeDeadline } from '../../shared/schedules/verbs/deadlines.ts'

export const deleteDeadline = endpoint({
  method: 'delete',
  path: '/v1/projects/{projectId}/deadlines/{deadlineId}',
  tag: 'Projects',
  operation_id: 'deleteDeadline',
  summary: 'Delete a deadline',
  description: 'An alert that it raised stays open until a run ends.',
  auth: 'any',
  atomic: true,
  params: { projectId: 'project', deadlineId: 'deadline' },
  answers: { 200: { description: 'It is gone.', schema: z.object({ id: z.uuid() }) } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await projectIn(ctx, principal, params.projectId)
    await removeDeadline(ctx, params.projectId, params.deadlineId)
    return { id: params.deadlineId }
  },
})
