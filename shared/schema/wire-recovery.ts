// The shapes of triage, clusters, replays and waits as callers see them, and how rows become them.

import { itemRecordId } from '../domain/ids.ts'
import { LIMITS } from '../domain/limits.ts'
import { usdOf } from '../domain/pricing.ts'
import {
  DEPLOYMENT_CHOICES,
  DISPOSITIONS,
  type Disposition,
  ITEM_ACTIONS,
  ITEM_STATUSES,
  type ItemAction,
  OUTCOMES,
  REUSE_CHOICES,
  type ReuseChoice,
  ROW_ACTIONS,
  type RowAction,
  TRIAGE_LANES,
  WRONG_OF,
} from '../domain/vocabulary.ts'
import { WAITS, type WaitToken, type WhyFacts } from '../domain/why.ts'
import * as z from '../kernel/documented-zod.ts'
import { budgetCents, label } from './input.ts'
import { type ItemInRunRow, ItemRecord, itemRecordOf, timestamp } from './wire.ts'

const count = (description: string) => z.int().min(0).describe(description)
const id = (description: string) => z.string().meta({ format: 'uuid', description })

export const TriageEntry = z
  .object({
    record_id: id('Record id of the item: what {itemId} in paths stands for.'),
    run_id: id('The run of the item.'),
    item_id: z.string().describe('Your own identifier of the item.'),
    project_id: id('The project of its run.'),
    agent_id: id('The agent of its run.'),
    agent_slug: z.string(),
    partition_key: z.string().nullable(),
    kind: z
      .enum(TRIAGE_LANES)
      .describe(
        'dlq: it did not work. quarantine: it is held. review: it worked as recorded, and somebody says or asks whether it did.',
      ),
    reason: z
      .string()
      .describe(
        'Why, as a token: the outcome reason, or hold; of a review suspected_refusal (is it a refusal?) or called_wrong.',
      ),
    question: z
      .string()
      .nullable()
      .describe(
        'Of a review, what is asked about it: confirm it or call it wrong. Null where nothing is asked.',
      ),
    error_code: z.string().nullable(),
    message: z
      .string()
      .nullable()
      .describe(
        `The error or the reason in words, its first ${LIMITS.triage_message_characters} characters.`,
      ),
    cluster_key: z.string().nullable().describe('The failure cluster it belongs to; null unless it failed.'),
    cause_id: z
      .string()
      .nullable()
      .describe(
        'The cause it has; null until the tick has named that of an item that was never dispatched, and of a review.',
      ),
    status: z.enum(ITEM_STATUSES).describe('Whether it ran.'),
    outcome_status: z.enum(OUTCOMES).nullable().describe('Whether it worked; null while it is held.'),
    cost_usd: z
      .number()
      .describe('What it has cost: about what it costs again, without the steps a replay reuses.'),
    unpriced: z.boolean().describe('It called a model without a known price: its cost is a lower bound.'),
    available_actions: z.array(z.enum(ROW_ACTIONS)).describe('What the item accepts now.'),
    created_at: timestamp.describe('When it came into the feed.'),
  })
  .openapi('TriageRow', { description: 'An item that waits for a decision.' })

export const TriagePage = z
  .object({
    rows: z.array(TriageEntry),
    next_cursor: z.string().nullable().describe('Where the next page begins; null on the last one.'),
  })
  .openapi('TriagePage')

export interface TriageSource {
  run_id: string
  seq: number
  project_id: string
  agent_id: string
  agent_slug: string
  lane: (typeof TRIAGE_LANES)[number]
  reason: string
  error_code: string | null
  partition_key: string | null
  cluster_key: string | null
  cause_id: string | null
  created_at: Date
  item_id: string
  status: (typeof ITEM_STATUSES)[number]
  outcome: (typeof OUTCOMES)[number] | null
  message: string | null
  cost_micro: number
  unpriced: boolean
}

export function triageEntryOf(
  row: TriageSource,
  available_actions: RowAction[],
): z.input<typeof TriageEntry> {
  return {
    record_id: itemRecordId(row.run_id, row.seq),
    run_id: row.run_id,
    item_id: row.item_id,
    project_id: row.project_id,
    agent_id: row.agent_id,
    agent_slug: row.agent_slug,
    partition_key: row.partition_key,
    kind: row.lane,
    reason: row.reason,
    question: row.lane === 'review' && row.reason === 'suspected_refusal' ? 'Is this a refusal?' : null,
    error_code: row.error_code,
    message: row.message,
    cluster_key: row.cluster_key,
    cause_id: row.cause_id || null,
    status: row.status,
    outcome_status: row.outcome,
    cost_usd: usdOf(row.cost_micro),
    unpriced: row.unpriced,
    available_actions,
    created_at: row.created_at.toISOString(),
  }
}

export const ItemWithDecision = ItemRecord.extend({
  disposition: z.enum(DISPOSITIONS).nullable().describe('What was decided about it; null while nothing was.'),
  decided_at: timestamp.nullable().describe('When.'),
  corrected_outcome_status: z
    .enum(OUTCOMES)
    .nullable()
    .describe(
      'Whether it worked as people say, where that is not what was recorded; results have this. Null where nobody differs.',
    ),
  available_actions: z.array(z.enum(ITEM_ACTIONS)).describe('What it accepts now.'),
  unchanged: z.boolean().describe('A replay that ended like its original without asking anything again.'),
}).openapi('ItemWithDecision', {
  description: 'The durable record of an item, and what was decided about it.',
})

export const itemWithDecisionOf = (
  row: ItemInRunRow,
  decision: {
    disposition: Disposition | null
    decided_at: Date | null
    corrected: (typeof OUTCOMES)[number] | null
    unchanged: boolean
  },
  available_actions: ItemAction[],
): z.input<typeof ItemWithDecision> => ({
  ...itemRecordOf(row),
  disposition: decision.disposition,
  decided_at: decision.decided_at?.toISOString() ?? null,
  corrected_outcome_status: decision.corrected,
  available_actions,
  unchanged: decision.unchanged,
})

/** What a caller may filter triage, and a recovery, by. */
export const clusterKey = label(
  LIMITS.name_characters + 32,
  'Only items of this failure cluster, as the list of clusters names it.',
)
export const triageReason = label(
  LIMITS.name_characters,
  'Only items with this reason token, for example refusal or tool_call_error.',
)

/** Which recorded steps are taken over: the same words wherever something is replayed. */
export const reuseFields = {
  reuse: z
    .enum(REUSE_CHOICES)
    .describe(
      'Which recorded steps are taken over. auto: where an answer was at fault (off schema, refused, empty, cut off, degraded or raised by the agent) the last model call is asked again, or the last step where there was none; steps before it are taken over, later ones only for calls with the same input. Where the attempt was at fault (time, provider, a lost process), what succeeded is. all: what succeeded, also where an answer was at fault. none: nothing. auto unless told.',
    )
    .optional(),
  from_step: label(
    LIMITS.step_key_characters,
    'Key of a step: it and what follows run again, those before it are taken over. Instead of reuse.',
  ).optional(),
}

/** Both say what is taken over. */
export const oneOfReuse = (order: { reuse?: ReuseChoice | undefined; from_step?: string | undefined }) =>
  order.from_step === undefined || order.reuse === undefined || order.reuse === 'auto'
export const ONE_OF_REUSE = {
  path: ['reuse'],
  message: 'does not go with "from_step": either says which steps are taken over',
}

export const ReplayOrder = z
  .strictObject({
    ...reuseFields,
    input: z
      .unknown()
      .describe(
        'Another input instead of the original one. No steps are taken over then, unless from_step says that those before it still hold, or reuse that all do.',
      )
      .optional(),
    deployment: z
      .enum(DEPLOYMENT_CHOICES)
      .optional()
      .describe('The deployment that runs: the current one unless told.'),
    budget_cents: budgetCents.optional(),
  })
  .refine(oneOfReuse, ONE_OF_REUSE)
  .openapi('ReplayOrder', { description: 'How an item is replayed.' })

export const ResumeOrder = z
  .strictObject({
    budget_cents: budgetCents
      .describe(
        "Money granted on top, in cents; at the item's budget, its declared budget once more unless told.",
      )
      .optional(),
  })
  .openapi('ResumeOrder', { description: 'How an item goes on.' })

export const WrongOrder = z
  .strictObject({
    of: z
      .enum(WRONG_OF)
      .describe(
        'What you looked at. verdict: what was recorded. question: it is not what triage asks. correction: an ok item that was called wrong did work after all. verdict unless told.',
      )
      .optional(),
  })
  .openapi('WrongOrder', { description: 'What of an item is called wrong.' })

export const Continued = z
  .object({
    run_id: id('The run the item goes on in: a new one when it is replayed.'),
    record_id: id('Record id of the item that runs now.'),
    reused_steps: count('Steps taken over whatever happens: the work it skips.'),
  })
  .openapi('ContinuedItem', { description: 'An item that goes on, and the work it skips.' })

export const Cluster = z
  .object({
    cluster_key: z.string().describe('`<error_code>:<hash>`, or `other`.'),
    error_code: z.string().describe('Empty in `other`.'),
    sample_prompt: z
      .string()
      .describe('First 200 characters of the canonicalized input prompt; empty in `other`.'),
    count: count('Failed items in it.'),
    item_ids: z
      .array(z.string())
      .max(LIMITS.cluster_item_ids)
      .describe('Your identifiers of its latest items; empty in `other`.'),
    record_ids: z
      .array(z.string())
      .max(LIMITS.cluster_item_ids)
      .describe('Record ids of the same items, in the same order.'),
  })
  .openapi('FailureCluster', { description: 'Failed items that share an error code and a prompt.' })

export const Clusters = z
  .object({
    clusters: z.array(Cluster).describe('The largest first, `other` last.'),
    total_failures: count('The sum of all counts.'),
  })
  .openapi('FailureClusters')

export const Why = z
  .object({
    token: z.enum(WAITS).describe('What it waits for, for machines.'),
    message: z.string().describe('The same in one sentence.'),
    item_status: z.enum(ITEM_STATUSES),
    run_id: id('The run of the item.'),
    due_at: timestamp
      .nullable()
      .describe('When it may be offered again, after an attempt that did not end it.'),
    items_ahead: count('Items of its run that are offered before it.'),
    run_running: z.int().nullable().describe('Items of the run at work.'),
    run_cap: z.int().nullable().describe('How many may be; null is no cap of its own.'),
    project_running: z.int().nullable().describe('Items of the project at work.'),
    project_cap: z.int().nullable().describe('How many may be.'),
    partition_running: z
      .int()
      .nullable()
      .describe('Items of its partition at work, where partitions have a cap.'),
    partition_cap: z.int().nullable().describe('How many may be.'),
  })
  .openapi('Why', { description: 'Why an item is not running.' })

export function whyOf(
  run_id: string,
  {
    token,
    message,
    facts,
    due_at,
  }: { token: WaitToken; message: string; facts: WhyFacts; due_at: Date | null },
): z.input<typeof Why> {
  const { admission, partition } = facts
  const caps = [admission?.run_concurrency, admission?.agent_concurrency].filter(
    cap => typeof cap === 'number',
  )
  return {
    token,
    message,
    item_status: facts.status,
    run_id,
    due_at: due_at === null ? null : due_at.toISOString(),
    items_ahead: facts.ahead,
    run_running: admission?.run_running ?? null,
    run_cap: caps.length === 0 ? null : Math.min(...caps),
    project_running: admission?.project_running ?? null,
    project_cap: admission?.project_concurrency ?? null,
    partition_running: partition?.running ?? null,
    partition_cap: partition?.cap ?? null,
  }
}

const Relative = z
  .object({
    record_id: id('Record id of the item.'),
    run_id: id('Its run.'),
    generation: z
      .int()
      .describe('0 is the item asked for; below it what it descends from, above it what replays it.'),
    replayed_from: id('Record id of the item it replays.').nullable(),
    status: z.enum(ITEM_STATUSES),
    outcome_status: z.enum(OUTCOMES).nullable(),
  })
  .openapi('Relative')

export const Lineage = z
  .array(Relative)
  .describe('The item with everything it descends from and all replays of those, oldest first.')
