import { endpoint } from '../../shared/http/endpoint.ts'
import { scheduleIn } from '../../shared/http/scope.ts'
import { foreseeEnding } from '../../shared/schedules/verbs/foresee.ts'
import { endingOf, Schedule, scheduleOf } from '../../shared/schedules/wire/schedules.ts'

export const getSchedule = endpoint({
  method: 'get',
  path: '/v1/schedules/{scheduleId}',
  tag: 'Schedules',
  operation_id: 'getSchedule',
  summary: 'Get a schedule',
  description: 'With its next moments, what became of its latest, and when its run ends.',
  auth: 'any',
  params: { scheduleId: 'schedule' },
  answers: { 200: { description: 'The schedule.', schema: Schedule } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const schedule = await scheduleIn(ctx, principal, params.scheduleId)
    const ending = await foreseeEnding(ctx, schedule)
    return { ...scheduleOf(schedule), ...(ending && { ending: endingOf(ending, ctx.now()) }) }
  },
})
