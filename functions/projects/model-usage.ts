import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { queryNumber } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { readModelUsage } from '../../shared/traces/queries/model-calls.ts'
import { ModelUsage, modelUsageOf } from '../../shared/traces/wire/model-usage.ts'

const DAY_MS = 86_400_000
const DAYS = [1, LIMITS.model_usage_days.max] as const
const days = z.int().min(DAYS[0]).max(DAYS[1]).describe('Days in UTC, today included.')

export const getModelUsage = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/models',
  tag: 'Projects',
  operation_id: 'getModelUsage',
  summary: 'Sum up the calls of models, by agent',
  description: `Calls, tokens, cost and latency of each model that an agent called, by the day a call began; the most expensive first, at most ${LIMITS.model_usage_rows}. Calls are counted shortly after they were recorded, and kept ${LIMITS.model_usage_days.max} days, also of runs that are removed.`,
  auth: 'any',
  params: { projectId: 'project' },
  query: z.strictObject({ days: queryNumber(days, DAYS).default(LIMITS.model_usage_days.default) }),
  answers: {
    200: {
      description: 'The sums.',
      schema: z.object({
        since: z.iso.date().describe('The first day that is counted.'),
        models: z.array(ModelUsage),
      }),
    },
  },
  errors: [],
  async handle({ ctx, principal, params, query }) {
    const { id } = await projectIn(ctx, principal, params.projectId)
    const since = new Date(ctx.now() - (query.days - 1) * DAY_MS).toISOString().slice(0, 10)
    const rows = await readModelUsage(ctx.sql, id, since)
    return { since, models: rows.map(modelUsageOf) }
  },
})
