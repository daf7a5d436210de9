// The shapes of triggers and of their fires. Guarantee: none returns a hash or a sealed secret.

import { id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { httpUrl, uuid as uuidOf } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { shownTriggerItems, triggerItems, triggerItemsOf } from '../../sources/wire/sources.ts'
import { StartedRun } from '../../submission/wire/run-order.ts'
import { shownStart, shownStartOf, startOrder } from '../../submission/wire/start-settings.ts'
import type { triggers } from '../tables/triggers.ts'
import { SIGNATURE_SCHEMES } from '../vocabulary.ts'

export type TriggerRow = Omit<
  typeof triggers.$inferSelect,
  'secret_hash' | 'signing_secret_sealed' | 'source_headers_sealed'
> & {
  agent_slug: string
  ready: boolean
}

const triggerFields = {
  id: id('What {triggerId} in paths stands for.'),
  project_id: id('The project of its agent.'),
  agent_id: id('The agent it starts.'),
  agent_slug: z.string(),
  name: z.string().describe('Unique within its agent.'),
  url: z
    .string()
    .meta({ format: 'uri', description: 'Where a POST starts a run; it changes with the name alone.' }),
  scheme: z.enum(SIGNATURE_SCHEMES).describe('How a fire proves who sent it.'),
  secret_env: z.string().nullable().describe("The sender's environment variable that holds the secret."),
  ready: z.boolean().describe("False until the sender's signing secret was given: fires are refused."),
  ...shownTriggerItems,
  ...shownStart,
  declared: z.boolean().describe('Declared in the code of its agent: a deploy changes it back.'),
  created_at: timestamp,
  last_fired_at: timestamp.nullable().describe('When it last started a run, exact to a second.'),
}
export const Trigger = z
  .object(triggerFields)
  .openapi('Trigger', { description: 'An inbound HTTP start of an agent, without its secret.' })
export const NewTrigger = z
  .object({
    ...triggerFields,
    secret: z
      .string()
      .nullable()
      .describe('To hand to the sender; it is shown this once. Null where no new one was made.'),
  })
  .openapi('NewTrigger', { description: 'A trigger with the secret that was just made.' })

export const triggerUrl = (base_url: string, webhook_id: string) =>
  `${base_url}/v1/webhooks/${webhook_id}/trigger`

export function triggerOf(row: TriggerRow, base_url: string): z.input<typeof Trigger> {
  return {
    id: row.id,
    project_id: row.project_id,
    agent_id: row.agent_id,
    agent_slug: row.agent_slug,
    name: row.name,
    url: triggerUrl(base_url, row.webhook_id),
    scheme: row.scheme,
    secret_env: row.secret_env,
    ready: row.ready,
    ...triggerItemsOf(row.source),
    ...shownStartOf(row),
    declared: row.declared,
    created_at: row.created_at.toISOString(),
    last_fired_at: row.last_fired_at?.toISOString() ?? null,
  }
}

export const triggerName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, underscores and dashes')
  .meta({
    maxLength: LIMITS.trigger_name_characters,
    example: 'new-ticket',
    description: 'Unique within its agent.',
  })
export const secretEnv = z
  .string()
  .max(LIMITS.secret_env_characters)
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be upper-case letters, digits and underscores, a letter first')
  .meta({
    example: 'ASSAY_TRIGGER_SECRET',
    description: "The sender's environment variable that holds the secret.",
  })
const signingSecret = z
  .string()
  .min(LIMITS.signing_secret_characters.min)
  .max(LIMITS.signing_secret_characters.max)
  .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII')
  .meta({
    example: 'whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH',
    description: "The sender's own secret, where the sender makes it.",
  })

export const TriggerOrder = z
  .strictObject({
    agent_id: uuidOf('The agent it starts.'),
    name: triggerName,
    scheme: z
      .enum(SIGNATURE_SCHEMES)
      .optional()
      .describe(
        'bearer by default: the secret that is made here. The others are signatures of known senders.',
      ),
    secret_env: secretEnv.optional(),
    signing_secret: signingSecret.optional(),
    ...startOrder,
    ...triggerItems,
  })
  .openapi('TriggerOrder', {
    description: 'A trigger for an agent.',
    example: { agent_id: '019c2b1e-7a40-7c3d-9f21-5be000000000', name: 'new-ticket' },
  })

export const TriggerChanges = z
  .strictObject({
    name: triggerName.optional(),
    secret_env: secretEnv.nullable().optional(),
    signing_secret: signingSecret.optional(),
    ...startOrder,
    ...triggerItems,
  })
  .refine(
    changes => Object.keys(changes).length > 0,
    'must change something: its name, its secret, its items, or what its runs are started with',
  )
  .openapi('TriggerChanges', {
    description: 'What is to be different; what is absent stays.',
    example: { budget_cents: 500, tags: ['tickets'] },
  })

export const FireHeaders = z.strictObject({
  'x-callback-url': httpUrl(
    'Gets a signed summary when the run ends. Not with a signature scheme: senders do not sign it.',
  ).optional(),
  'x-idempotency-key': z
    .string()
    .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII')
    .min(1)
    .max(LIMITS.idempotency_key_characters)
    .describe("Fires of one key start one run within 24 hours. Without it, the sender's own id of the event.")
    .optional(),
})

const isGiven = (value: unknown) => value !== undefined
export const FireBody = z.unknown().refine(isGiven).openapi('FireBody', {
  description:
    'Any JSON value: the input of the one item, kept byte for byte. Of a trigger with items, an array or NDJSON: an item each.',
})

export const FiredRun = StartedRun.openapi('FiredRun')

export const Challenge = z.object({ challenge: z.string() }).openapi('Challenge')
