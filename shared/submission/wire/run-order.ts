// What a caller sends to start a run, and what comes back.

import { RUN_STATUSES, type RunStatus, type StartedBy } from '../../items/vocabulary.ts'
import * as z from '../../kernel/documented-zod.ts'
import {
  BUDGET_CENTS,
  budgetCents,
  CONCURRENCY,
  concurrency,
  httpUrl,
  idempotencyKey,
  itemId,
  label,
  PATIENCE_SECONDS,
  PILOT_ITEMS,
  partitionKey,
  patienceSeconds,
  pilotItems,
  queryNumber,
  queryTags,
  slug,
  TIMEOUT_SECONDS,
  tags,
  timeoutSeconds,
  uuid,
} from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'

const isGiven = (value: unknown) => value !== undefined
const input = z.unknown().refine(isGiven, 'is missing').describe('Any JSON; it is kept byte for byte.')
const callbackUrl = httpUrl('Gets a signed summary when the run ends.')
const runName = label(LIMITS.name_characters, 'For people.')

const UNPRICED =
  'Under a budget: go on with models that have no price, which the budget then does not count. Otherwise they are refused where they are known, and calls of them pause their items.'
/** The same for schedules and triggers. */
export const UNPRICED_STARTS =
  'Its runs go on with models that have no price, which a budget then does not count.'
export const allowUnpriced = z.boolean().describe(UNPRICED)

const settings = {
  budget_cents: budgetCents.optional(),
  timeout_seconds: timeoutSeconds.optional(),
  patience_seconds: patienceSeconds.optional(),
  callback_url: callbackUrl.optional(),
  idempotency_key: idempotencyKey.optional(),
  allow_unpriced: allowUnpriced.optional(),
  tags: tags.optional(),
}

/** An item for the example agent of the first start, so that the document's requests can be sent as printed. */
const ITEM = {
  input: { ticket_id: 'T-4711', tenant: 'acme', text: 'Where is my order?' },
  item_id: 'T-4711',
  partition_key: 'acme',
}

export const RunOrderOfOne = z
  .strictObject({
    agent_id: uuid('The agent of the path; may be left out.').optional(),
    input,
    item_id: itemId.optional(),
    partition_key: partitionKey.optional(),
    ...settings,
  })
  .openapi('RunOrder', { description: 'One item for an agent.', example: ITEM })

/** Names the agent by its slug or its id. */
const namedAgent = {
  agent: slug.optional().describe('The slug of the agent; or else its id in agent_id.'),
  agent_id: uuid('The agent; or else its slug in agent.').optional(),
  project_id: uuid("Where the slug is looked up; a project key's own when absent.").optional(),
}

export const OneOffOrder = z
  .strictObject({
    ...namedAgent,
    input,
    item_id: itemId.optional(),
    partition_key: partitionKey.optional(),
    ...settings,
  })
  .openapi('OneOffOrder', {
    description: 'One item for an agent that is named in the body.',
    example: { agent: 'ticket-triage', ...ITEM },
  })

/** Whether an earlier request with the same key started the run, and what became of it. */
const started = {
  run_id: z.string().meta({ format: 'uuid', description: 'The run that was started.' }),
  duplicate: z
    .boolean()
    .describe(
      'True when an earlier request with the same idempotency key started this run: this one started none.',
    ),
  status: z.enum(RUN_STATUSES).describe('Of the run: queued, or of a duplicate what it is by now.'),
}

export const StartedRun = z
  .object({
    ...started,
    record_id: z.string().meta({ format: 'uuid', description: 'Record id of its first item.' }),
  })
  .openapi('StartedRun')

/** What a submission came to. */
interface Submitted {
  run_id: string
  total_items: number
  first_item: string
  repeated: boolean
  status: RunStatus
}

const outcomeOf = ({ run_id, repeated, status }: Submitted) => ({ run_id, duplicate: repeated, status })

export const startedRunOf = (run: Submitted): z.input<typeof StartedRun> => ({
  ...outcomeOf(run),
  record_id: run.first_item,
})

export const submittedBatchOf = (run: Submitted): z.input<typeof SubmittedBatch> => ({
  group_id: run.run_id,
  ...outcomeOf(run),
  total_items: run.total_items,
})

export const BatchItem = z
  .strictObject({ input, item_id: itemId.optional(), partition_key: partitionKey.optional() })
  .openapi('BatchItem', { description: 'One item of a batch.' })

export const BatchOrder = z
  .strictObject({
    ...namedAgent,
    name: runName.optional(),
    concurrency: concurrency.optional(),
    pilot_items: pilotItems.optional(),
    ...settings,
    items: z.array(BatchItem).describe('The batch; an item_id may occur once in it.'),
  })
  .openapi('BatchOrder', {
    description: 'Items for an agent.',
    example: {
      agent: 'ticket-triage',
      name: 'tickets of 2026-03-02',
      budget_cents: 500,
      idempotency_key: '2026-03-02-tickets',
      items: [ITEM],
    },
  })

/** The same as query parameters, for a batch sent line by line. */
export const BatchQuery = z.strictObject({
  ...namedAgent,
  name: runName.optional(),
  concurrency: queryNumber(concurrency, CONCURRENCY).optional(),
  pilot_items: queryNumber(pilotItems, PILOT_ITEMS).optional(),
  budget_cents: queryNumber(budgetCents, BUDGET_CENTS).optional(),
  timeout_seconds: queryNumber(timeoutSeconds, TIMEOUT_SECONDS).optional(),
  patience_seconds: queryNumber(patienceSeconds, PATIENCE_SECONDS).optional(),
  callback_url: callbackUrl.optional(),
  idempotency_key: idempotencyKey.optional(),
  tags: queryTags.optional(),
  allow_unpriced: z
    .enum(['true', 'false'])
    .transform(text => text === 'true')
    .meta({ type: 'boolean', description: UNPRICED })
    .optional(),
})

export const SubmittedBatch = z
  .object({
    group_id: z.string().meta({ format: 'uuid', description: "The run's id, by its frozen name." }),
    ...started,
    total_items: z.int().describe('Items accepted.'),
  })
  .openapi('SubmittedBatch')

interface Settings {
  name?: string | undefined
  budget_cents?: number | undefined
  concurrency?: number | undefined
  pilot_items?: number | undefined
  timeout_seconds?: number | undefined
  patience_seconds?: number | undefined
  callback_url?: string | undefined
  idempotency_key?: string | undefined
  allow_unpriced?: boolean | undefined
  tags?: string[] | undefined
}

/** The settings as the order that the engine takes. */
export function orderOf(
  agent: { id: string; project_id: string },
  settings: Settings,
  started_by: StartedBy,
  fingerprint: () => Promise<string>,
) {
  const { idempotency_key: key } = settings
  return {
    project_id: agent.project_id,
    agent_id: agent.id,
    started_by,
    name: settings.name ?? null,
    budget_cents: settings.budget_cents ?? null,
    concurrency: settings.concurrency ?? null,
    pilot_items: settings.pilot_items ?? null,
    timeout_seconds: settings.timeout_seconds ?? null,
    patience_seconds: settings.patience_seconds ?? null,
    callback_url: settings.callback_url ?? null,
    unpriced: settings.allow_unpriced === true ? ('allow' as const) : ('refuse' as const),
    tags: settings.tags ?? [],
    idempotency: key === undefined ? null : { key, fingerprint },
  }
}
