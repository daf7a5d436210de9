import { endpoint } from '../../shared/http/endpoint.ts'
import { scheduleIn } from '../../shared/http/scope.ts'
import { deleteSchedule as remove } from '../../shared/schedules/verbs/schedules.ts'

export const deleteSchedule = endpoint({
  method: 'delete',
  path: '/v1/schedules/{scheduleId}',
  tag: 'Schedules',
  operation_id: 'deleteSchedule',
  summary: 'Delete a schedule',
  description:
    'With its events; the runs it started stay. A declared schedule comes back with the next deploy.',
  auth: 'any',
  atomic: true,
  params: { scheduleId: 'schedule' },
  answers: { 200: { description: 'The schedule is gone; no body.' } },
  errors: [],
  async handle({ ctx, principal, params, reply }) {
    const schedule = await scheduleIn(ctx, principal, params.scheduleId)
    reply.project_id = schedule.project_id
    await remove(ctx, schedule)
  },
})
