import { countWaiting, listUnfired } from '../../shared/accounts/queries/activity.ts'
import { daysSince } from '../../shared/accounts/verbs/activity.ts'
import { Activity, daysOf } from '../../shared/accounts/wire/activity.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { queryNumber } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { occurrenceOf } from '../../shared/schedules/wire/schedules.ts'

const DAY_MS = 86_400_000
const DAYS = [1, LIMITS.activity_days.max] as const
const days = z.int().min(DAYS[0]).max(DAYS[1]).describe('Days, today included.')

export const getActivity = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/activity',
  tag: 'Projects',
  operation_id: 'getActivity',
  summary: 'Sum up what a project did lately',
  description:
    'Items and cost by the UTC day their run was submitted on, what waits for a decision, and what went wrong outside of runs within 24 hours.',
  auth: 'any',
  params: { projectId: 'project' },
  query: z.strictObject({
    days: queryNumber(days, DAYS).default(LIMITS.activity_days.default),
  }),
  answers: { 200: { description: 'The sums.', schema: Activity } },
  errors: [],
  async handle({ ctx, principal, params, query }) {
    const { id } = await projectIn(ctx, principal, params.projectId)
    const now = ctx.now()
    const first = Math.floor(now / DAY_MS) - query.days + 1
    const names = Array.from({ length: query.days }, (_, at) =>
      new Date((first + at) * DAY_MS).toISOString().slice(0, 10),
    )
    const yesterday = new Date(now - DAY_MS)
    const [{ rows, complete_since_ms }, waiting, unfired] = await Promise.all([
      daysSince(ctx, id, first * DAY_MS),
      countWaiting(ctx.sql, id, yesterday),
      listUnfired(ctx.sql, id, yesterday),
    ])
    return {
      days: daysOf(names, rows),
      complete_since: new Date(complete_since_ms).toISOString(),
      waiting: { dlq: waiting.dlq, quarantine: waiting.quarantine },
      last_24_hours: {
        given_up_deliveries: waiting.given_up,
        unfired_moments: waiting.unfired,
        unfired: unfired.map(row => ({ ...occurrenceOf(row), agent_slug: row.agent_slug })),
      },
    }
  },
})
