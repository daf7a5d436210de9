import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { probe, type Readiness } from '../../shared/upkeep/verbs/readiness.ts'

const Dependency = z.object({
  status: z
    .enum(['ok', 'degraded', 'unreachable', 'unusable', 'unknown'])
    .describe(
      '`degraded`: it does a part of what is asked of it, such as reads alone, and work goes on with that; the status stays 200. `unusable`: a person has to fix it. `unknown`: PostgreSQL would have to report it, and does not, or the schema or a right that looking takes is missing.',
    ),
  latency_ms: z.number().describe('How long the answer, or giving up, took.'),
  reason: z.string().nullable().describe('What is wrong with it, and what to do.'),
})
const held_since = z.iso
  .datetime()
  .nullable()
  .describe(
    'Set where the installation was restored from a backup and does nothing of itself until it may go on.',
  )
const Dependencies = z.object({
  postgres: Dependency,
  redis: Dependency,
  schema: Dependency.describe(
    'Whether the database has the migrations that this version needs, or newer ones.',
  ),
  role: Dependency.describe('Whether the role that signs in may read and write what it must.'),
  master_key: Dependency.describe('Whether it is there, and the one that the installation was sealed under.'),
})
const Turn = z.object({
  status: z
    .enum(['ok', 'stalled', 'none', 'unknown'])
    .describe(
      '`stalled`: the last turn ended too long ago. `none`: nobody is at work, usual for consumers without items; the queue of a project names runs that nobody takes. `unknown`: Redis did not answer.',
    ),
  age_ms: z.number().nullable().describe('Since the latest turn ended.'),
})
const Turns = z.object({ tick: Turn, consumer: Turn })

export const getReadiness = endpoint({
  method: 'get',
  path: '/health/ready',
  tag: 'Health',
  operation_id: 'getReadiness',
  summary: 'Whether it can work',
  description:
    'Whether both stores answer, each within two seconds, and PostgreSQL has what the work takes: the schema, the rights of the role, and the master key. `turns` says when a tick and a consumer at work last ended a turn; one that stands still does not change the status.',
  auth: 'none',
  answers: {
    200: {
      description: 'It can.',
      schema: z.object({ status: z.literal('ready'), dependencies: Dependencies, turns: Turns, held_since }),
    },
    503: {
      description:
        '`dependency_unreachable` names the store that did not answer, `dependency_unusable` what a person has to fix, `process_restarting` that `npm start` waits before it starts what crashed again; the message and `dependencies` say why.',
      schema: z.object({
        status: z.literal('unavailable'),
        dependencies: Dependencies,
        turns: Turns,
        held_since,
        error: z.object({
          code: z.enum(['dependency_unreachable', 'dependency_unusable', 'process_restarting']),
          message: z.string(),
        }),
      }),
    },
  },
  errors: [],
  async handle({ ctx, reply }) {
    const readiness: Readiness = await probe(ctx)
    if (readiness.status === 'unavailable') reply.status = 503
    return readiness
  },
})
