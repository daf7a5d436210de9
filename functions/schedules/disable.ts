import { endpoint } from '../../shared/http/endpoint.ts'
import { scheduleIn } from '../../shared/http/scope.ts'
import { disableSchedule as disable } from '../../shared/schedules/verbs/schedules.ts'
import { Schedule, scheduleOf } from '../../shared/schedules/wire/schedules.ts'

export const disableSchedule = endpoint({
  method: 'post',
  path: '/v1/schedules/{scheduleId}/disable',
  tag: 'Schedules',
  operation_id: 'disableSchedule',
  summary: 'Disable a schedule',
  description:
    'Nothing fires until it is enabled again; it can still be triggered by hand. A declared schedule is enabled again by the next deploy.',
  auth: 'any',
  atomic: true,
  params: { scheduleId: 'schedule' },
  answers: { 200: { description: 'The schedule.', schema: Schedule } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await disable(ctx, await scheduleIn(ctx, principal, params.scheduleId))
    return scheduleOf(await scheduleIn(ctx, principal, params.scheduleId))
  },
})
