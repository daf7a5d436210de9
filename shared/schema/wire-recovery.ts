// The shapes of triage, clusters, replays and recoveries as callers see them, and how rows become them.

import { z } from '@hono/zod-openapi'
import { itemRecordId } from '../domain/ids.ts'
import { LIMITS } from '../domain/limits.ts'
import { usdOf } from '../domain/pricing.ts'
import {
  ITEM_STATUSES,
  OUTCOMES,
  RECOVERY_STATUSES,
  TRIAGE_ACTIONS,
  TRIAGE_LANES,
  type TriageAction,
} from '../domain/vocabulary.ts'
import { WAITS } from '../domain/why.ts'
import { budgetCents, instant, label, partitionKey, uuid } from './input.ts'
import type { RecoveryFilter, recoveries, runs } from './tables.ts'
import { timestamp } from './wire.ts'

const count = (description: string) => z.int().min(0).describe(description)
const id = (description: string) => z.string().meta({ format: 'uuid', description })

export type RecoveryRunRow = typeof runs.$inferSelect
export type RecoveryRow = typeof recoveries.$inferSelect & { runs: RecoveryRunRow[] }

export const TriageEntry = z
  .object({
    record_id: id('Record id of the item: what {itemId} in paths stands for.'),
    run_id: id('The run of the item.'),
    item_id: z.string().describe('Your own identifier of the item.'),
    project_id: id('The project of its run.'),
    agent_id: id('The agent of its run.'),
    agent_slug: z.string(),
    partition_key: z.string().nullable(),
    kind: z.enum(TRIAGE_LANES).describe('dlq: it did not work. quarantine: it is held.'),
    reason: z.string().describe('Why, as a token: the outcome reason, or hold.'),
    error_code: z.string().nullable(),
    message: z
      .string()
      .nullable()
      .describe(
        `The error or the reason in words, its first ${LIMITS.triage_message_characters} characters.`,
      ),
    cluster_key: z.string().nullable().describe('The failure cluster it belongs to; null unless it failed.'),
    status: z.enum(ITEM_STATUSES).describe('Whether it ran.'),
    outcome_status: z.enum(OUTCOMES).nullable().describe('Whether it worked; null while it is held.'),
    available_actions: z.array(z.enum(TRIAGE_ACTIONS)).describe('What the item accepts now.'),
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
  created_at: Date
  item_id: string
  status: (typeof ITEM_STATUSES)[number]
  outcome: (typeof OUTCOMES)[number] | null
  message: string | null
}

export function triageEntryOf(
  row: TriageSource,
  available_actions: TriageAction[],
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
    error_code: row.error_code,
    message: row.message,
    cluster_key: row.cluster_key,
    status: row.status,
    outcome_status: row.outcome,
    available_actions,
    created_at: row.created_at.toISOString(),
  }
}

/** What a caller may filter triage, and a recovery, by. */
export const clusterKey = label(
  LIMITS.name_characters + 32,
  'Only items of this failure cluster, as the list of clusters names it.',
)
export const triageReason = label(
  LIMITS.name_characters,
  'Only items with this reason token, for example refusal or tool_call_error.',
)

export const ReplayOrder = z
  .strictObject({
    from_step: label(
      LIMITS.step_key_characters,
      'Key of a step: it and what follows run again, those before it are taken over.',
    ).optional(),
    input: z
      .unknown()
      .describe(
        'Another input instead of the original one. No steps are taken over then, unless from_step says that those before it still hold.',
      )
      .optional(),
    deployment: z
      .enum(['current', 'original'])
      .optional()
      .describe('The deployment that runs: the current one unless told.'),
    budget_cents: budgetCents.optional(),
  })
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

export const Continued = z
  .object({
    run_id: id('The run the item goes on in: a new one when it is replayed.'),
    record_id: id('Record id of the item that runs now.'),
    reused_steps: count('Steps taken over, which do not run again.'),
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

const filterFields = {
  run_id: uuid('Only items of this run.').optional(),
  agent_id: uuid('Only items of this agent.').optional(),
  cluster_key: clusterKey.optional(),
  reason: triageReason.optional(),
  partition_key: partitionKey.optional(),
  from: instant('Only items that came into triage at or after this time.').optional(),
  to: instant('Only items that came into triage before this time.').optional(),
}

export const CohortFilter = z
  .strictObject(filterFields)
  .openapi('RecoveryFilter', {
    description: 'Which items are replayed; all of the project without a filter.',
  })

export const RecoveryOrder = z
  .strictObject({
    project_id: uuid("The project; a project key's own when absent.").optional(),
    name: label(LIMITS.name_characters, 'For people.').optional(),
    filter: CohortFilter,
    first: z
      .int()
      .min(1)
      .max(LIMITS.items_per_run)
      .describe(
        'Replay this many first, and the rest only if they do better than before: at least one of them works, and no more of them fail than had failed.',
      )
      .optional(),
    dry_run: z.boolean().describe('Count what would be replayed, and change nothing.').optional(),
  })
  .openapi('RecoveryOrder', { description: 'A cohort to be replayed.' })

export const CohortPlan = z
  .object({
    eligible: count('Items that would be replayed.'),
    ineligible: z
      .array(
        z.object({
          reason: z
            .enum(['held', 'acknowledged', 'dismissed', 'replayed', 'resumed'])
            .describe('held: it waits to be resumed. Otherwise what was decided about it.'),
          count: count('Items.'),
        }),
      )
      .describe('Items that pass the filter and would not be replayed, by why not.'),
    agent_ids: z.array(id('An agent.')).describe('Agents with eligible items; a recovery is for one.'),
  })
  .openapi('RecoveryPlan', { description: 'What a recovery would replay.' })

export const Recovery = z
  .object({
    id: id('What {recoveryId} in paths stands for.'),
    project_id: id('The project.'),
    agent_id: id('The agent whose items are replayed.'),
    name: z.string().nullable(),
    filter: CohortFilter,
    first: z.int().nullable().describe('How many go first; null is all at once.'),
    status: z
      .enum(RECOVERY_STATUSES)
      .describe(
        'creating: items are being copied. pilot: the first ones run. running: all run. stopped: the first ones did no better than before.',
      ),
    pilot_run_id: id('The run of the first items.').nullable(),
    pilot_better: z
      .boolean()
      .nullable()
      .describe('Whether they did better than before; null until it is known.'),
    run_id: id('The run of all others.').nullable(),
    eligible: count('Items that could be replayed when it was started.'),
    replayed: count('Items copied so far.'),
    ended: count('Of those, how many have ended.'),
    ok: count('Of those, how many worked.'),
    degraded: count('Of those, how many are degraded.'),
    failed: count('Of those, how many failed.'),
    cancelled: count('Of those, how many were cancelled.'),
    paused: count('Of those, how many are held.'),
    cost_usd: z.number().describe('What it has cost so far.'),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .openapi('Recovery', { description: 'The replay of a cohort.' })

export function recoveryOf(row: RecoveryRow): z.input<typeof Recovery> {
  const sum = (of: (run: RecoveryRunRow) => number) => row.runs.reduce((all, run) => all + of(run), 0)
  const failed = (run: RecoveryRunRow) => run.failed + run.budget_exceeded
  return {
    id: row.id,
    project_id: row.project_id,
    agent_id: row.agent_id,
    name: row.name,
    filter: row.filter satisfies RecoveryFilter,
    first: row.first,
    status: row.status,
    pilot_run_id: row.pilot_run_id,
    pilot_better: row.pilot_better,
    run_id: row.run_id,
    eligible: row.eligible,
    replayed: sum(run => run.total_items),
    ended: sum(run => run.ok + run.degraded + failed(run) + run.cancelled),
    ok: sum(run => run.ok),
    degraded: sum(run => run.degraded),
    failed: sum(failed),
    cancelled: sum(run => run.cancelled),
    paused: sum(run => run.paused),
    cost_usd: usdOf(sum(run => run.cost_micro)),
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at === null ? null : row.finished_at.toISOString(),
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
