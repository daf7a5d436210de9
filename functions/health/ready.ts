import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { probeStores, type Readiness } from '../../shared/http/readiness.ts'

const Dependency = z.object({
  status: z.enum(['ok', 'unreachable']),
  latency_ms: z.number().describe('How long the answer, or giving up, took.'),
})
const held_since = z.iso
  .datetime()
  .nullable()
  .describe(
    'Set where the installation was restored from a backup and does nothing of itself until it may go on.',
  )
const Dependencies = z.object({ postgres: Dependency, redis: Dependency })
const Turn = z.object({
  status: z
    .enum(['ok', 'stalled', 'none', 'unknown'])
    .describe(
      '`stalled`: the last turn ended too long ago. `none`: no turn within ten minutes, usual for consumers without work. `unknown`: Redis did not answer.',
    ),
  age_ms: z.number().nullable().describe('Since the latest turn ended.'),
})
const Turns = z.object({ tick: Turn, consumer: Turn })

export const getReadiness = endpoint({
  method: 'get',
  path: '/health/ready',
  tag: 'Health',
  operation_id: 'getReadiness',
  summary: 'Whether both stores answer',
  description:
    'Each store has two seconds. `turns` says when a tick and a consumer at work last ended a turn; one that stands still does not change the status.',
  auth: 'none',
  answers: {
    200: {
      description: 'Both answered.',
      schema: z.object({ status: z.literal('ready'), dependencies: Dependencies, turns: Turns, held_since }),
    },
    503: {
      description:
        '`dependency_unreachable`: the message and `dependencies` name the one that did not answer.',
      schema: z.object({
        status: z.literal('unavailable'),
        dependencies: Dependencies,
        turns: Turns,
        held_since,
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
