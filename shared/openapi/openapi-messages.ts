// Describes the messages that Assay sends: when, and how a receiver verifies that Assay sent them.

import * as z from '../kernel/documented-zod.ts'
import { LIMITS } from '../kernel/limits.ts'
import { AlertRaised, RunFinished } from '../outbox/wire/deliveries.ts'
import { AlertResolved, ChannelTest, RunDigest } from '../outbox/wire/messages.ts'
import { Result } from '../results/wire/results.ts'

/** What Assay sends to the addresses that callers name. */
export const MESSAGES = [
  {
    type: 'run.finished',
    operation_id: 'onRunFinished',
    tag: 'Runs',
    summary: 'A run has come to an end',
    description:
      'Sent to the callback_url of a run each time its status becomes one that is an end; a partial run that turns completed is reported again, with another `transition`.',
    schema: RunFinished,
  },
  {
    type: 'alert.raised',
    operation_id: 'onAlertRaised',
    tag: 'Schedules',
    summary: 'An alert was raised',
    description: 'Sent to the alert channels of a project.',
    schema: AlertRaised,
  },
  {
    type: 'alert.resolved',
    operation_id: 'onAlertResolved',
    tag: 'Schedules',
    summary: 'An alert was resolved',
    description: 'Sent to the alert channels of a project when what an alert reported is so no more.',
    schema: AlertResolved,
  },
  {
    type: 'run.digest',
    operation_id: 'onRunDigest',
    tag: 'Runs',
    summary: 'What became of a run, for people',
    description:
      'Sent once to each alert channel whose `digest` asks for it, when a run that is no replay has ended.',
    schema: RunDigest,
  },
  {
    type: 'channel.test',
    operation_id: 'onChannelTest',
    tag: 'Projects',
    summary: 'Somebody tests a channel',
    description: 'Sent to one alert channel because somebody asked for it.',
    schema: ChannelTest,
  },
  {
    type: 'run.results',
    operation_id: 'onRunResults',
    tag: 'Runs',
    summary: 'The results of a run, as a file',
    description:
      'Sent to the URL that a schedule names under `results` when a run of it has ended, in its format: text/csv, application/x-ndjson or application/json. Each item of the run is there once, as it ended; what its replays give is in GET /v1/results.',
    schema: z.array(Result),
  },
]

const SIGNATURES = {
  'x-service-signature': {
    description: 't=<seconds since 1970>,v1=<hex HMAC-SHA256 of "t.body">; v1 twice in the day after a roll.',
    example: 't=1772443800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  },
  'webhook-id': {
    description: 'The id of the delivery, the same in every try.',
    example: '5be0cd19-137e-4179-9f21-5be0cd19137e',
  },
  'webhook-timestamp': { description: 'Seconds since 1970, of this try.', example: '1772443800' },
  'webhook-signature': {
    description: 'As in Standard Webhooks: v1,<base64 HMAC-SHA256 of "id.timestamp.body">.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
}

/** A message in the form that the document's generator takes. */
export function messageOf({
  type,
  operation_id,
  tag,
  summary,
  description,
  schema,
}: (typeof MESSAGES)[number]) {
  return {
    method: 'post' as const,
    path: type,
    operationId: operation_id,
    tags: [tag, 'self-hosted'],
    summary,
    description: `${description} Any 2xx within ${LIMITS.delivery_ms / 1000} s takes it; else it is tried ${LIMITS.delivery_tries - 1} times more, each later than the last.`,
    security: [],
    request: {
      headers: z.object(
        Object.fromEntries(
          Object.entries(SIGNATURES).map(([name, about]) => [name, z.string().openapi(about)]),
        ),
      ),
      body: { required: true, content: { 'application/json': { schema } } },
    },
    responses: { 200: { description: 'Taken.' } },
  }
}
