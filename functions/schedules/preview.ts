import { endpoint } from '../../shared/http/endpoint.ts'
import { readClock } from '../../shared/schedules/queries/schedules.ts'
import { readable } from '../../shared/schedules/verbs/schedules.ts'
import { Preview, PreviewQuery, previewOf } from '../../shared/schedules/wire/preview.ts'

export const previewSchedule = endpoint({
  method: 'get',
  path: '/v1/schedules/preview',
  tag: 'Schedules',
  operation_id: 'previewSchedule',
  summary: 'Preview an expression',
  description:
    'When it would fire next, on the wall clock and in UTC, and which times are skipped or come twice because the clocks change. Nothing is stored.',
  auth: 'any',
  query: PreviewQuery,
  answers: { 200: { description: 'The moments.', schema: Preview } },
  errors: ['invalid_cron', 'invalid_timezone'],
  async handle({ ctx, query: { cron, timezone } }) {
    readable(cron, timezone)
    return previewOf(cron, timezone, new Date(await readClock(ctx.db)))
  },
})
