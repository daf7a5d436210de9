// The shapes of outgoing messages: what receivers get, and what the log shows.

import { Alert, type AlertRow, alertOf } from '../../alerts/wire/alerts.ts'
import { type ItemRow, Run, RunItem, type RunRow, runItemOf, runOf } from '../../items/wire/runs.ts'
import { rawJson } from '../../json/raw-json.ts'
import { id, Json, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { shownUrl } from '../../kernel/shown-url.ts'
import type { deliveries, deliveryTries } from '../tables/deliveries.ts'
import { DELIVERY_KINDS, DELIVERY_STATES, RUN_TRANSITIONS, type RunTransition } from '../vocabulary.ts'

const FinishedItem = RunItem.omit({ input: true, mended_by: true, corrected_outcome_status: true }).openapi(
  'FinishedItem',
  {
    description: 'An item that has ended, without its input.',
  },
)

export const RunFinished = z
  .object({
    type: z.literal('run.finished'),
    timestamp: timestamp.describe('When the run came to this end.'),
    data: z.object({
      transition: z
        .enum(RUN_TRANSITIONS)
        .describe(
          'Which end this is. ended: its items are through. decided: it had ended partial, and all that did not work was replayed or dismissed since. reopened: such a decision was taken back.',
        ),
      run: Run.describe('The run as it was when it had come to this end.'),
      item: FinishedItem.nullable().describe('Its item, output and all, if it has but one.'),
      items_url: z.string().meta({ format: 'uri', description: 'Where its items can be read.' }),
      results_url: z.string().meta({
        format: 'uri',
        description: 'Where its results can be read, its replays taken in: each item once.',
      }),
    }),
  })
  .openapi('RunFinished', { description: 'A run has come to an end.' })

export const AlertRaised = z
  .object({ type: z.literal('alert.raised'), timestamp, data: Alert })
  .openapi('AlertRaised', { description: 'Something went wrong without anybody asking.' })

export interface RunEnd {
  run: RunRow
  item: ItemRow | null
  ended_at: Date
  transition: RunTransition
}

export function runFinishedOf(
  { run, item, ended_at, transition }: RunEnd,
  base_url: string,
): z.input<typeof RunFinished> {
  const ended = item && runItemOf(item, run)
  return {
    type: 'run.finished',
    timestamp: ended_at.toISOString(),
    data: {
      transition,
      run: runOf(run),
      item: ended && (({ input: _, ...rest }) => rest)(ended),
      items_url: `${base_url}/v2/runs/${run.id}/items`,
      results_url: `${base_url}/v1/results?run_id=${run.id}`,
    },
  }
}

export const alertRaisedOf = (alert: AlertRow): z.input<typeof AlertRaised> => ({
  type: 'alert.raised',
  timestamp: alert.created_at.toISOString(),
  data: alertOf(alert),
})

/** A message with the result of its last try. `created_text` is the sort key in PostgreSQL's own text. */
export type DeliveryRow = Pick<
  typeof deliveries.$inferSelect,
  | 'id'
  | 'project_id'
  | 'run_id'
  | 'alert_id'
  | 'kind'
  | 'url'
  | 'tries'
  | 'due_at'
  | 'created_at'
  | 'delivered_at'
> & {
  created_text: string
  state: (typeof DELIVERY_STATES)[number]
  last_status: number | null
  last_error: string | null
}
export type TryRow = Omit<typeof deliveryTries.$inferSelect, 'delivery_id'>

export const Delivery = z
  .object({
    id: id('The same in every try; receivers get it as webhook-id.'),
    project_id: id('Whose secret signs it.'),
    kind: z.enum(DELIVERY_KINDS).describe('What it reports.'),
    run_id: id('The run that has come to an end.').nullable(),
    alert_id: id('The alert that it reports.').nullable(),
    url: z.string().describe('Where it goes; what may be a secret in it is masked.'),
    state: z.enum(DELIVERY_STATES).describe('pending: it is still tried. failed: it was given up.'),
    try_count: z.int().min(0).describe('How often it was tried.'),
    last_status: z.int().nullable().describe('What the receiver answered last; null when it did not.'),
    last_error: z.string().nullable().describe('Why the last try was none, in words.'),
    due_at: timestamp.nullable().describe('When it is tried next; null when it is over.'),
    created_at: timestamp,
    delivered_at: timestamp.nullable(),
  })
  .openapi('Delivery', { description: 'A message to the outside.' })

export const DeliveryTry = z
  .object({
    try: z.int().min(1),
    started_at: timestamp,
    duration_ms: z
      .int()
      .nullable()
      .describe('Null while it is under way, and for ever when its sender died.'),
    status: z.int().nullable().describe('What the receiver answered; null when it did not.'),
    error: z.string().nullable().describe('Why it was not delivered, in words.'),
  })
  .openapi('DeliveryTry')

export const DeliveryRecord = Delivery.extend({
  body: Json.describe('What is sent; null before the first try and when retention took it.'),
  tries: z.array(DeliveryTry).describe('Every try, oldest first.'),
}).openapi('DeliveryRecord', { description: 'A message to the outside and every try to deliver it.' })

export const DeliveryPage = z
  .object({
    deliveries: z.array(Delivery),
    next_cursor: z.string().nullable().describe('Where the next page begins; null on the last one.'),
  })
  .openapi('DeliveryPage')

export const SigningSecret = z
  .object({
    secret: z
      .string()
      .describe('Signs every message of the project. Standard Webhooks libraries take it as it is.'),
    rolled_at: timestamp.nullable().describe('Since when it signs; null for the first.'),
    previous: z
      .object({ secret: z.string(), valid_until: timestamp })
      .nullable()
      .describe('The secret before, while it signs as well.'),
  })
  .openapi('SigningSecret', { description: 'What receivers check the origin of a message with.' })

const iso = (at: Date | null) => at?.toISOString() ?? null

export const deliveryOf = (row: DeliveryRow): z.input<typeof Delivery> => ({
  id: row.id,
  project_id: row.project_id,
  kind: row.kind,
  run_id: row.run_id,
  alert_id: row.alert_id,
  url: shownUrl(row.url),
  state: row.state,
  try_count: row.tries,
  last_status: row.last_status,
  last_error: row.last_error,
  due_at: iso(row.due_at),
  created_at: row.created_at.toISOString(),
  delivered_at: iso(row.delivered_at),
})

export const deliveryRecordOf = (
  row: DeliveryRow & { body: string | null },
  tries: readonly TryRow[],
): z.input<typeof DeliveryRecord> => ({
  ...deliveryOf(row),
  body: rawJson(row.body),
  tries: tries.map(one => ({ ...one, started_at: one.started_at.toISOString() })),
})

export const signingSecretOf = ({
  secret,
  rolled_at,
  previous,
}: {
  secret: string
  rolled_at: Date | null
  previous: { secret: string; valid_until: Date } | null
}): z.input<typeof SigningSecret> => ({
  secret,
  rolled_at: iso(rolled_at),
  previous: previous && { secret: previous.secret, valid_until: previous.valid_until.toISOString() },
})
