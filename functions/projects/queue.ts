import { WAITS } from '../../shared/claims/rules/why.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'
import { count, id, timestamp } from '../../shared/kernel/answer-fields.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { itemRecordId } from '../../shared/kernel/ids.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { readQueue } from '../../shared/upkeep/verbs/queue.ts'

const QueuedRun = z.object({
  id: id('The run.'),
  name: z.string().nullable(),
  agent_slug: z.string(),
  queued: count('Items that wait.'),
  running: count('Items at work.'),
  created_at: timestamp,
  waited_ms: z.number().describe('Since it was submitted or last given to a consumer.'),
  token: z.enum(WAITS).nullable().describe('What keeps more of it from starting; null where it has room.'),
  message: z.string().nullable().describe('The same in a sentence.'),
})

const Retry = z.object({
  record_id: id('The item.'),
  item_id: z.string(),
  run_id: id('Its run.'),
  agent_slug: z.string(),
  attempt: z.int().describe('Attempts so far.'),
  due_at: timestamp,
  error_code: z.string().nullable().describe('How the last attempt ended.'),
  message: z.string().nullable(),
})

const Queue = z
  .object({
    runs: count('Runs that have not ended.'),
    queued: count('Items that wait in them.'),
    running: count('Items at work.'),
    paused: count('Items that are held, or that wait for money.'),
    retries: count(`Items that wait to be tried again, counted up to ${LIMITS.activity_counted}.`),
    upstream_waits: count(
      `Items that wait for something outside that serves nobody, counted up to ${LIMITS.activity_counted}.`,
    ),
    waiting_runs: z
      .array(QueuedRun)
      .describe(`Those with items that wait, the longest first; at most ${LIMITS.queue_runs}.`),
    next_retries: z.array(Retry).describe(`The next first; at most ${LIMITS.queue_retries}.`),
  })
  .openapi('Queue', { description: 'What of a project waits, and what for.' })

export const getQueue = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/queue',
  tag: 'Projects',
  operation_id: 'getQueue',
  summary: 'Report what waits, and what for',
  description:
    'Runs with items that wait, each with what keeps it from starting more, and items that wait to be tried again.',
  auth: 'any',
  params: { projectId: 'project' },
  answers: { 200: { description: 'The queue.', schema: Queue } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const { id } = await projectIn(ctx, principal, params.projectId)
    const { totals, runs, retries } = await readQueue(ctx, id)
    return {
      ...totals,
      waiting_runs: runs.map(({ wait, created_at, ...run }) => ({
        ...run,
        created_at: created_at.toISOString(),
        token: wait?.token ?? null,
        message: wait?.message ?? null,
      })),
      next_retries: retries.map(({ run_id, seq, item_id, due_at, code, ...rest }) => {
        const record_id = itemRecordId(run_id, seq)
        return {
          ...rest,
          record_id,
          item_id: item_id ?? record_id,
          run_id,
          due_at: due_at.toISOString(),
          error_code: code,
        }
      }),
    }
  },
})
