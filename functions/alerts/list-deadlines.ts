import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'
import { listDeadlines as list } from '../../shared/schedules/queries/deadlines.ts'
import { Deadline, deadlineOf } from '../../shared/schedules/wire/deadlines.ts'

export const listDeadlines = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/deadlines',
  tag: 'Projects',
  operation_id: 'listDeadlines',
  summary: "List a project's deadlines",
  description: 'By when, each day, schedules and agents must have finished; oldest first.',
  auth: 'any',
  params: { projectId: 'project' },
  answers: { 200: { description: 'The deadlines.', schema: z.array(Deadline) } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await projectIn(ctx, principal, params.projectId)
    return (await list(ctx.db, params.projectId)).map(deadlineOf)
  },
})
