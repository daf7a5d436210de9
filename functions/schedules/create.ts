import { endpoint } from '../../shared/http/endpoint.ts'
import { checkOwner } from '../../shared/http/principal.ts'
import { agentIn, scheduleIn } from '../../shared/http/scope.ts'
import { fieldsOf } from '../../shared/json/json.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { namedChanges } from '../../shared/pacing/rules/named-limits.ts'
import { refuseUnpricedStart } from '../../shared/prices/verbs/prices.ts'
import { createSchedule as create } from '../../shared/schedules/verbs/schedules.ts'
import { Schedule, ScheduleOrder, scheduleOf } from '../../shared/schedules/wire/schedules.ts'
import { refuseUnknownGenerator } from '../../shared/sources/verbs/kept-source.ts'

export const createSchedule = endpoint({
  method: 'post',
  path: '/v1/schedules',
  tag: 'Schedules',
  operation_id: 'createSchedule',
  summary: 'Create a schedule',
  description:
    'Starts an agent again and again, each time one run of the deployment that is current then: over one item, its input, or over all that a source holds when it is read. A source is read to its end before anything is dispatched; one that fails starts nothing (source_failed) and is read again until the next moment, one without rows starts nothing (source_empty). The cron is read on the wall clock: a time that the clock jumps over is skipped, one that it shows twice fires once. An agent has each cron once, in whatever zone: `schedule_cron_taken` names the schedule that has it.',
  auth: 'any',
  atomic: true,
  body_bytes: LIMITS.input_body_bytes,
  body: ScheduleOrder,
  answers: { 201: { description: 'The schedule.', schema: Schedule } },
  errors: [
    'invalid_cron',
    'invalid_timezone',
    'max_steps_rejected',
    'schedule_cron_taken',
    'quota_exceeded',
    'unpriced_model',
    'not_found',
  ],
  async handle({ ctx, principal, body, text, reply }) {
    const { limits, ...fields } = body
    const changes = namedChanges([], limits ?? [])
    if (changes.length > 0) checkOwner(principal)
    reply.changes = [...Object.keys(fields), ...changes]
    const { project_id, id: agent_id } = await agentIn(ctx, principal, body.agent_id)
    await refuseUnknownGenerator(ctx, { project_id, agent_id }, body.source)
    await refuseUnpricedStart(ctx, { project_id, agent_id }, body)
    const input = fieldsOf(text).get('input')
    const id = await create(ctx, { ...body, input, project_id, agent_id, declared: false })
    return scheduleOf(await scheduleIn(ctx, principal, id))
  },
})
