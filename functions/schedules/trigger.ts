import { endpoint } from '../../shared/http/endpoint.ts'
import { scheduleIn } from '../../shared/http/scope.ts'
import { fireByHand } from '../../shared/schedules/verbs/fire.ts'
import { StartedRun, startedRunOf } from '../../shared/submission/wire/run-order.ts'

export const triggerSchedule = endpoint({
  method: 'post',
  path: '/v1/schedules/{scheduleId}/trigger',
  tag: 'Schedules',
  operation_id: 'triggerSchedule',
  makes_work: true,
  summary: 'Trigger a schedule by hand',
  description:
    'Starts a run at once, with the input, the budget and the deployment it would fire with; also while it is disabled. Its next moment stays as it is. With a source the answer comes when all its items are committed; POST /v1/sources/preview shows what it holds.',
  auth: 'any',
  params: { scheduleId: 'schedule' },
  answers: { 202: { description: 'Accepted and queued.', schema: StartedRun } },
  errors: [
    'account_suspended',
    'plan_limit',
    'quota_exceeded',
    'too_many_open_runs',
    'source_failed',
    'source_empty',
  ],
  async handle({ ctx, principal, params, reply }) {
    const schedule = await scheduleIn(ctx, principal, params.scheduleId)
    reply.project_id = schedule.project_id
    return startedRunOf(await fireByHand(ctx, schedule))
  },
})
