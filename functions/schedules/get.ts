import { endpoint } from '../../shared/http/endpoint.ts'
import { scheduleIn } from '../../shared/http/scope.ts'
import { Schedule, scheduleOf } from '../../shared/schedules/wire/schedules.ts'

export const getSchedule = endpoint({
  method: 'get',
  path: '/v1/schedules/{scheduleId}',
  tag: 'Schedules',
  operation_id: 'getSchedule',
  summary: 'Get a schedule',
  description: 'With its next moments and what became of its latest.',
  auth: 'any',
  params: { scheduleId: 'schedule' },
  answers: { 200: { description: 'The schedule.', schema: Schedule } },
  errors: [],
  async handle({ ctx, principal, params }) {
    return scheduleOf(await scheduleIn(ctx, principal, params.scheduleId))
  },
})
