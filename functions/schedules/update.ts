import { endpoint } from '../../shared/http/endpoint.ts'
import { checkOwner } from '../../shared/http/principal.ts'
import { scheduleIn } from '../../shared/http/scope.ts'
import { fieldsOf } from '../../shared/json/json.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { namedChanges } from '../../shared/pacing/rules/named-limits.ts'
import { refuseUnpricedStart } from '../../shared/prices/verbs/prices.ts'
import { updateSchedule as update } from '../../shared/schedules/verbs/schedules.ts'
import { Schedule, ScheduleChanges, scheduleOf } from '../../shared/schedules/wire/schedules.ts'
import { refuseUnknownGenerator } from '../../shared/sources/verbs/kept-source.ts'

export const updateSchedule = endpoint({
  method: 'patch',
  path: '/v1/schedules/{scheduleId}',
  tag: 'Schedules',
  operation_id: 'updateSchedule',
  summary: 'Update a schedule',
  description:
    'A new cron or timezone counts from the very next moment on. A declared schedule is set back by the next deploy.',
  auth: 'any',
  atomic: true,
  params: { scheduleId: 'schedule' },
  body_bytes: LIMITS.input_body_bytes,
  body: ScheduleChanges,
  answers: { 200: { description: 'The updated schedule.', schema: Schedule } },
  errors: ['invalid_cron', 'invalid_timezone', 'max_steps_rejected', 'schedule_cron_taken', 'unpriced_model'],
  async handle({ ctx, principal, params, body, text, reply }) {
    const known = await scheduleIn(ctx, principal, params.scheduleId)
    const { limits = known.limits, ...fields } = body
    const limited = namedChanges(known.limits ?? [], limits ?? [])
    // Whoever sends back what is set already, such as a form, changes nothing of it.
    if (limited.length > 0) checkOwner(principal)
    reply.changes = [...Object.keys(fields), ...limited]
    await refuseUnknownGenerator(ctx, known, body.source)
    const { input: _, ...changes } = body
    if (body.budget_cents !== undefined || body.allow_unpriced !== undefined)
      await refuseUnpricedStart(ctx, known, { ...scheduleOf(known), ...changes })
    const input = fieldsOf(text).get('input')
    await update(ctx, known, { ...changes, ...(input !== undefined && { input }) })
    return scheduleOf(await scheduleIn(ctx, principal, params.scheduleId))
  },
})
