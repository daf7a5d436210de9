import { z } from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { probeStores, type Readiness } from '../../shared/http/readiness.ts'

const Dependency = z.object({
  status: z.enum(['ok', 'unreachable']),
  latency_ms: z.number().describe('How long the answer, or giving up, took.'),
})
const Dependencies = z.object({ postgres: Dependency, redis: Dependency })

export const getReadiness = endpoint({
  method: 'get',
  path: '/health/ready',
  tag: 'Health',
  operation_id: 'getReadiness',
  summary: 'Whether both stores answer',
  description: 'Each store has two seconds.',
  auth: 'none',
  answers: {
    200: {
      description: 'Both answered.',
      schema: z.object({ status: z.literal('ready'), dependencies: Dependencies }),
    },
    503: {
      description:
        '`dependency_unreachable`: the message and `dependencies` name the one that did not answer.',
      schema: z.object({
        status: z.literal('unavailable'),
        dependencies: Dependencies,
        error: z.object({ code: z.literal('dependency_unreachable'), message: z.string() }),
      }),
    },
  },
  errors: [],
  async handle({ ctx, reply }) {
    const readiness: Readiness = await probeStores(ctx)
    if (readiness.status === 'unavailable') reply.status = 503
    return readiness
  },
})
