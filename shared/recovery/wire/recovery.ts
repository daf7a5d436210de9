// The shapes of replays, clusters, waits and lineages as callers see them, and how rows become them.

import { WAITS, type WaitToken, type WhyFacts } from '../../items/rules/why.ts'
import { ITEM_STATUSES, OUTCOMES } from '../../items/vocabulary.ts'
import { count, id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { budgetCents, label } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { DEPLOYMENT_CHOICES, REUSE_CHOICES, type ReuseChoice, WRONG_OF } from '../vocabulary.ts'

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
