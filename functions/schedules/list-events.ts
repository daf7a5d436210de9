import { NEXT_CURSOR, readPage, setNextCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scheduleIn } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, pageSize } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { listOccurrences } from '../../shared/schedules/queries/schedules.ts'
import { Occurrence, occurrenceOf } from '../../shared/schedules/wire/schedules.ts'

export const listScheduleEvents = endpoint({
  method: 'get',
  path: '/v1/schedules/{scheduleId}/events',
  tag: 'Schedules',
  operation_id: 'listScheduleEvents',
  summary: 'List the events of a schedule',
  description: 'What became of every moment it named, the latest first, and every start by hand.',
  auth: 'any',
  params: { scheduleId: 'schedule' },
  query: z.strictObject({ cursor: cursor.optional(), limit: pageSize(LIMITS.events_page) }),
  answers: { 200: { description: 'The events.', schema: z.array(Occurrence), headers: NEXT_CURSOR } },
  errors: ['invalid_cursor'],
  async handle({ ctx, principal, params, query, reply }) {
    const { id: schedule_id, project_id } = await scheduleIn(ctx, principal, params.scheduleId)
    const read = (before: string[] | undefined, limit: number) =>
      listOccurrences(ctx.db, {
        project_id,
        schedule_id,
        before: before as [string, string] | undefined,
        limit,
      })
    const { account_id } = principal
    const identity = { list: 'schedule-events', account_id, project_id, filters: { schedule_id } }
    const page = await readPage(ctx, identity, query, read, row => [row.key, String(row.manual)])
    setNextCursor(reply.headers, page)
    return page.rows.map(occurrenceOf)
  },
})
