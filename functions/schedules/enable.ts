import { endpoint } from '../../shared/http/endpoint.ts'
import { scheduleIn } from '../../shared/http/scope.ts'
import { enableSchedule as enable } from '../../shared/schedules/verbs/schedules.ts'
import { Schedule, scheduleOf } from '../../shared/schedules/wire/schedules.ts'

export const enableSchedule = endpoint({
  method: 'post',
  path: '/v1/schedules/{scheduleId}/enable',
  tag: 'Schedules',
  operation_id: 'enableSchedule',
  summary: 'Enable a schedule',
  description:
    'It fires at its next moment; those while it was disabled are gone. One that cannot be read is refused: update it first.',
  auth: 'any',
  atomic: true,
  params: { scheduleId: 'schedule' },
  answers: { 200: { description: 'The schedule.', schema: Schedule } },
  errors: ['invalid_cron', 'invalid_timezone'],
  async handle({ ctx, principal, params }) {
    await enable(ctx, await scheduleIn(ctx, principal, params.scheduleId))
    return scheduleOf(await scheduleIn(ctx, principal, params.scheduleId))
  },
})
