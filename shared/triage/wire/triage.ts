// The response shapes of triage and of an item with the decision about it, and the mapping from rows.

import { ITEM_STATUSES, OUTCOMES } from '../../items/vocabulary.ts'
import { reusedVersions } from '../../items/wire/code-versions.ts'
import { type ItemInRunRow, ItemRecord, itemRecordOf } from '../../items/wire/runs.ts'
import { count, id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { label } from '../../kernel/fields.ts'
import { itemRecordId } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { shortened } from '../../kernel/text-head.ts'
import { usdOf } from '../../prices/rules/pricing.ts'
import {
  DISPOSITIONS,
  type Disposition,
  ITEM_ACTIONS,
  type ItemAction,
  ROW_ACTIONS,
  type RowAction,
  TRIAGE_LANES,
} from '../vocabulary.ts'

export const TriageEntry = z
  .object({
    record_id: id('Record id of the item: what {itemId} in paths stands for.'),
    run_id: id('The run of the item.'),
    run_name: z.string().nullable(),
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
        `The error or the reason in words, shortened to ${LIMITS.triage_message_characters} characters; one that goes on ends in an ellipsis.`,
      ),
    input_start: z
      .string()
      .nullable()
      .describe(
        `Its input as JSON, shortened to ${LIMITS.triage_message_characters} characters; one that goes on ends in an ellipsis. Null where it is kept no longer.`,
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
    total: count(
      `All that pass the filters, counted up to ${LIMITS.activity_counted}; with count alone.`,
    ).optional(),
  })
  .openapi('TriagePage')

export interface TriageSource {
  run_id: string
  seq: number
  project_id: string
  agent_id: string
  agent_slug: string
  run_name: string | null
  input_start: string | null
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

/** Of a text that is read with one character more. */
export const messageHead = (text: string | null) => text && shortened(text, LIMITS.triage_message_characters)

export function triageEntryOf(
  row: TriageSource,
  available_actions: RowAction[],
): z.input<typeof TriageEntry> {
  return {
    record_id: itemRecordId(row.run_id, row.seq),
    run_id: row.run_id,
    run_name: row.run_name,
    item_id: row.item_id,
    project_id: row.project_id,
    agent_id: row.agent_id,
    agent_slug: row.agent_slug,
    partition_key: row.partition_key,
    kind: row.lane,
    reason: row.reason,
    question: row.lane === 'review' && row.reason === 'suspected_refusal' ? 'Is this a refusal?' : null,
    error_code: row.error_code,
    message: messageHead(row.message),
    input_start: messageHead(row.input_start),
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
  decided_at: timestamp
    .nullable()
    .describe('When; of an ok item that is called wrong and waits in triage, when that was said.'),
  decided_by: z
    .string()
    .nullable()
    .describe(
      'By whom, also once they are removed: the e-mail of a member, or `key` and the name of a key; null where no caller decided. Of an ok item that is called wrong and waits in triage, who said so.',
    ),
  corrected_outcome_status: z
    .enum(OUTCOMES)
    .nullable()
    .describe(
      'Whether it worked as people say, where that is not what was recorded; results have this. Null where nobody differs.',
    ),
  cause_id: z
    .string()
    .nullable()
    .describe('The cause it has, decided about or not; null where it has none, or none yet.'),
  available_actions: z.array(z.enum(ITEM_ACTIONS)).describe('What it accepts now.'),
  unchanged: z.boolean().describe('A replay that ended like its original without asking anything again.'),
  reused_versions: reusedVersions.describe('Of a replay, what made the steps that it took over.'),
}).openapi('ItemWithDecision', {
  description: 'The durable record of an item, and what was decided about it.',
})

export const itemWithDecisionOf = (
  row: ItemInRunRow,
  decision: {
    disposition: Disposition | null
    cause_id: string | null
    decided_at: Date | null
    decided_by: string | null
    corrected: (typeof OUTCOMES)[number] | null
    unchanged: boolean
  },
  available_actions: ItemAction[],
  reused_versions: z.input<typeof reusedVersions>,
): z.input<typeof ItemWithDecision> => ({
  ...itemRecordOf(row),
  disposition: decision.disposition,
  decided_at: decision.decided_at?.toISOString() ?? null,
  decided_by: decision.decided_by,
  corrected_outcome_status: decision.corrected,
  cause_id: decision.cause_id || null,
  available_actions,
  unchanged: decision.unchanged,
  reused_versions,
})

/** Filters of triage and of recoveries. */
export const clusterKey = label(
  LIMITS.name_characters + 32,
  'Only items of this failure cluster, as the list of clusters names it.',
)
export const triageReason = label(
  LIMITS.name_characters,
  'Only items with this reason token, for example refusal or tool_call_error.',
)
