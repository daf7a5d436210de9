import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'
import { timestamp } from '../../shared/kernel/answer-fields.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { testChannel } from '../../shared/outbox/verbs/test-channel.ts'

export const testAlertChannel = endpoint({
  method: 'post',
  path: '/v1/projects/{projectId}/alert-channels/{channelId}/test',
  tag: 'Projects',
  operation_id: 'testAlertChannel',
  summary: 'Send a test message to an alert channel',
  description:
    'In the format of the channel, signed and repeated like any message. Its delivery says what became of it.',
  auth: 'any',
  atomic: true,
  params: { projectId: 'project', channelId: 'alert channel' },
  answers: {
    202: {
      description: 'It is on its way.',
      schema: z.object({
        delivery_id: z.string().meta({ format: 'uuid', description: 'The delivery that sends it.' }),
        created_at: timestamp,
      }),
    },
  },
  errors: [],
  async handle({ ctx, principal, params }) {
    await projectIn(ctx, principal, params.projectId)
    return testChannel(ctx, params.projectId, params.channelId)
  },
})
