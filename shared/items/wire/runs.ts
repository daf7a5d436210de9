// The shapes of runs and items as callers see them, and how rows become them. Each shape is typed once: the
// OpenAPI document and the client's types come from here.
// Guarantee: payloads leave as the exact text they arrived as; money leaves as whole cents and as dollars.

import { FailedRunChecks, failedRunChecksOf } from '../../grading/wire/run-checks.ts'
import { rawJson } from '../../json/raw-json.ts'
import { count, id, payload, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { itemRecordId } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { shownUrlOrNull } from '../../kernel/shown-url.ts'
import type { CallFacts } from '../../prices/rules/held-budget.ts'
import { pricesAsOf } from '../../prices/rules/price-day.ts'
import { centsOf, usdOf } from '../../prices/rules/pricing.ts'
import { leftOver } from '../../recovery/rules/left-over.ts'
import { Estimate } from '../../upstreams/wire/estimate.ts'
import { UpstreamWait, type WaitRow, waitOf } from '../../upstreams/wire/upstreams.ts'
import { worstOutcome } from '../rules/lifecycle.ts'
import type { items, runs } from '../tables/runs.ts'
import { ITEM_STATUSES, OUTCOMES, RUN_STATUSES, STOP_REASONS } from '../vocabulary.ts'
import { itemVersion, runVersions } from './code-versions.ts'
import { budgetFields, budgetOf, callCounts, pricesDate } from './run-budget.ts'
import { type ReplaysRow, replayFields, replaysOf } from './run-replays.ts'
import { StartedBy } from './started-by.ts'

/** A run with its joined columns. */
export type RunRow = typeof runs.$inferSelect &
  ReplaysRow & {
    agent_slug: string
    deployment_version: number | null
    calls: CallFacts
    resent_items: number
    resends: number
    /** What it waits for; left out where the run that is reported has ended. */
    upstream?: WaitRow | null
  }
export type ItemRow = typeof items.$inferSelect & {
  /** The name that `code_version` stands for; null where that is null or the version is one of too many. */
  code_version_name: string | null
}
/** An item with its project and agent, as its record shows them; it was created when its run was. */
export type ItemInRunRow = ItemRow & {
  project_id: string
  agent_id: string
  agent_slug: string
  created_at: Date
  payloads_purged_at: Date | null
}

export const Run = z
  .object({
    id: id('Also the group_id of a batch.'),
    project_id: id('The project the run belongs to.'),
    agent_id: id('The agent that runs over the items.'),
    agent_slug: z.string(),
    deployment_version: z
      .int()
      .nullable()
      .describe('The version that runs; null until something is deployed.'),
    name: z.string().nullable(),
    started_by: StartedBy.nullable().describe('Who or what started it; null where that is not known.'),
    tags: z.array(z.string()).describe('Words by which it is found again.'),
    status: z.enum(RUN_STATUSES).describe('Whether it ran.'),
    worst_outcome_status: z
      .enum(OUTCOMES)
      .nullable()
      .describe('Whether it worked: the worst verdict of its items so far.'),
    stop_reason: z
      .enum(STOP_REASONS)
      .nullable()
      .describe(
        'Why dispatch stopped before all its items were dispatched: the first reason, also if it was cancelled after that.',
      ),
    pilot_items: z
      .int()
      .nullable()
      .describe('While the run is in its pilot, how many of its items go first; null of any other.'),
    total_items: count('Items in the batch at submission.'),
    queued: count('Items that wait to be dispatched.'),
    running: count('Items being worked on.'),
    paused: count('Items held for a decision, for a budget or for credit.'),
    waits_for_money: z
      .boolean()
      .describe(
        'Whether some of the paused items continue without a decision: when there is credit, a new day or month, or the price of a model.',
      ),
    waits_for: UpstreamWait.nullable().describe(
      'Something outside that serves nobody: until it does, its items that need it and its fresh ones wait. Null if it waits for none.',
    ),
    completed: count('Items that returned: ok or degraded.'),
    degraded_count: count('Items that returned but did not work.'),
    failed: count('Items that raised or reached a budget.'),
    budget_exceeded_count: count(
      'Of those that failed, items that reached a budget or were left when the run did.',
    ),
    cancelled: count('Items cancelled.'),
    undecided_count: count('Items that did not work and wait for a decision in triage.'),
    left_over_count: count(
      'Items that did not end well and can be run again: those in triage and, of a run that was stopped, those that it did not get to and those that are held. A recovery with "status": "not_ok" runs all of them.',
    ),
    ...replayFields,
    budget_cents: z.int().nullable().describe('Money the run may spend; null is no bound.'),
    ...budgetFields,
    aggregate_cost_cents: count('Spend across items, in whole cents.'),
    cost_usd: z
      .number()
      .describe('The same spend in dollars; a lower bound while unpriced_item_count is not 0.'),
    unpriced_item_count: count('Items that called a model without a known price.'),
    prices_as_of: pricesDate,
    ...callCounts,
    failed_checks: FailedRunChecks,
    total_input_tokens: count('Input tokens across items.'),
    total_output_tokens: count('Output tokens across items.'),
    concurrency: z
      .int()
      .nullable()
      .describe('Items at work at once at most; null is no bound but those of the agent and the project.'),
    timeout_seconds: z.int().nullable().describe('Time one item may take; null is what the agent declares.'),
    patience_seconds: z
      .int()
      .nullable()
      .describe('How long it waits for upstreams; null is what the agent declares, else a day.'),
    callback_url: z.string().nullable(),
    estimate: Estimate.optional().describe(
      'How long it still takes; of an open run that is asked for alone.',
    ),
    code_versions: runVersions.optional(),
    replay_of: id('The run whose items this one replays.').nullable(),
    unchanged_count: count(
      'Of a replay, items that ended like their original without asking anything again: nothing was run.',
    ),
    resent_item_count: count(
      'Items that were sent again because their request, or its process, ended early and another of its items may have done it; no retry of theirs was used.',
    ),
    resend_count: count(
      `How often they were, each counted, up to ${LIMITS.resends_counted}. A model call that was under way then may have been paid for; recorded calls are not made again.`,
    ),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    steps_purged_at: timestamp.nullable().describe('When retention took the steps of its items.'),
    payloads_purged_at: timestamp
      .nullable()
      .describe('When retention took the inputs and outputs of its items.'),
  })
  .openapi('Run', { description: 'One invocation of an agent over one or many items.' })

const identityOf = (row: RunRow) => ({
  id: row.id,
  project_id: row.project_id,
  agent_id: row.agent_id,
  agent_slug: row.agent_slug,
  deployment_version: row.deployment_version,
  name: row.name,
  started_by: row.started_by,
  tags: row.tags,
})

export function runOf(row: RunRow): z.input<typeof Run> {
  const completed = row.ok + row.degraded
  const failed = row.failed + row.budget_exceeded
  return {
    ...identityOf(row),
    status: row.status!,
    worst_outcome_status: worstOutcome({ ...row, started: row.started_at !== null }),
    stop_reason: row.first_stop_reason ?? row.stop_reason,
    pilot_items: isInPilot(row) ? row.pilot_items : null,
    total_items: row.total_items,
    queued: row.total_items - row.running - row.paused - completed - failed - row.cancelled,
    running: row.running,
    paused: row.paused,
    waits_for_money: row.waits_for_credit,
    waits_for: upstreamOf(row),
    completed,
    degraded_count: row.degraded,
    failed,
    budget_exceeded_count: row.budget_exceeded,
    cancelled: row.cancelled,
    undecided_count: row.undecided,
    left_over_count: leftOver(row),
    ...replaysOf(row),
    ...usageOf(row),
    ...budgetOf(row),
    model_call_count: row.model_calls,
    unread_call_count: row.unread_calls,
    suspected_call_count: row.suspected_calls,
    failed_checks: failedRunChecksOf(row),
    concurrency: row.concurrency,
    timeout_seconds: row.timeout_seconds,
    patience_seconds: row.patience_seconds,
    callback_url: shownUrlOrNull(row.callback_url),
    replay_of: row.replay_of,
    unchanged_count: row.unchanged,
    resent_item_count: row.resent_items,
    resend_count: row.resends,
    created_at: row.created_at.toISOString(),
    started_at: iso(row.started_at),
    finished_at: iso(row.finished_at),
    steps_purged_at: iso(row.steps_purged_at),
    payloads_purged_at: iso(row.payloads_purged_at),
  }
}

const usageOf = (row: RunRow) => ({
  budget_cents: row.budget_micro === null ? null : centsOf(row.budget_micro),
  aggregate_cost_cents: centsOf(row.cost_micro),
  cost_usd: usdOf(row.cost_micro),
  unpriced_item_count: row.unpriced_items,
  prices_as_of: pricesAsOf(),
  total_input_tokens: row.input_tokens,
  total_output_tokens: row.output_tokens,
})

/** A run that was stopped or has ended waits for nothing, whatever stopped its items. */
const upstreamOf = ({ upstream, stop_reason, finished_at }: RunRow) =>
  upstream == null || stop_reason !== null || finished_at !== null ? null : waitOf(upstream)

/** Whether a run is in its pilot: `pilot_items` is kept after a pilot that failed. */
const isInPilot = ({ stop_reason, finished_at }: RunRow) => stop_reason === null && finished_at === null

const itemFields = {
  id: id("The item's record id: what {itemId} in paths stands for."),
  run_id: id('The run the item belongs to.'),
  item_id: z.string().describe('Your own identifier; the record id when you gave none.'),
  partition_key: z.string().nullable(),
  line: z.int().min(1).describe('Its place in the submission, from 1.'),
  status: z.enum(ITEM_STATUSES).describe('Whether it ran.'),
  outcome_reason: z.string().nullable().describe('Why it is not ok, as a token.'),
  degraded_reason: z.string().nullable().describe('Why it is degraded, in words.'),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  code_version: itemVersion,
  attempt: z.int().min(0).describe('How often it was offered to the agent.'),
  step_count: count('Steps recorded.'),
  total_cost_cents: count('In whole cents.'),
  cost_usd: z.number(),
  unpriced: z.boolean().describe('It called a model without a known price: its cost is a lower bound.'),
  ...callCounts,
  total_input_tokens: count('Input tokens of its steps.'),
  total_output_tokens: count('Output tokens of its steps.'),
  replayed_from: id('Record id of the item this one replays.').nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  completed_at: timestamp.nullable(),
  payloads_purged_at: timestamp
    .nullable()
    .describe('When retention took its input and output; both are null from then on.'),
}

export const RunItem = z
  .object({
    ...itemFields,
    worst_outcome_status: z
      .enum(OUTCOMES)
      .nullable()
      .describe('Whether it worked; null while there is no verdict.'),
    input: payload('The input, byte for byte.'),
    output: payload('The output, byte for byte; null when there is none.'),
    mended_by: id(
      'Of an item that did not work, the record id of its newest replay, or replay of a replay, that did; both as people corrected the verdicts.',
    ).nullable(),
    corrected_outcome_status: z
      .enum(OUTCOMES)
      .nullable()
      .describe('Whether it worked as people say, where that is not what was recorded; else null.'),
  })
  .openapi('RunItem', { description: 'An item in the list of its run.' })

export const ItemRecord = z
  .object({
    ...itemFields,
    project_id: id('The project of its run.'),
    agent_id: id('The agent of its run.'),
    agent_slug: z.string(),
    outcome_status: z
      .enum(OUTCOMES)
      .nullable()
      .describe('Whether it worked; null while there is no verdict.'),
    prices_as_of: pricesDate,
    input_snapshot: payload('The input, byte for byte.'),
    output: payload('The output, byte for byte; null when there is none.'),
  })
  .openapi('ItemRecord', { description: 'The durable record of an item.' })

type Kept = { created_at: Date; payloads_purged_at: Date | null }

function commonOf(row: ItemRow, { created_at, payloads_purged_at }: Kept) {
  return {
    id: itemRecordId(row.run_id, row.seq),
    run_id: row.run_id,
    item_id: row.item_id,
    partition_key: row.partition_key,
    line: row.line,
    status: row.status,
    outcome_reason: row.outcome_reason,
    degraded_reason: row.degraded_reason,
    error_code: row.error_code,
    error_message: row.error_message,
    code_version: row.code_version_name,
    attempt: row.attempt,
    step_count: row.step_count,
    total_cost_cents: centsOf(row.cost_micro),
    cost_usd: usdOf(row.cost_micro),
    unpriced: row.unpriced,
    model_call_count: row.model_calls,
    unread_call_count: row.unread_calls,
    suspected_call_count: row.suspected_calls,
    total_input_tokens: row.input_tokens,
    total_output_tokens: row.output_tokens,
    replayed_from: row.replayed_from,
    created_at: created_at.toISOString(),
    started_at: iso(row.started_at),
    completed_at: iso(row.completed_at),
    payloads_purged_at: iso(payloads_purged_at),
  }
}

/** What a list adds to its items. */
type OfLists = 'mended_by' | 'corrected_outcome_status'

/** `created_at` is the run's: its items are one submission. */
export function runItemOf(row: ItemRow, run: Kept): Omit<z.input<typeof RunItem>, OfLists> {
  return {
    ...commonOf(row, run),
    worst_outcome_status: row.outcome,
    input: run.payloads_purged_at === null ? rawJson(row.input) : null,
    output: run.payloads_purged_at === null ? rawJson(row.output) : null,
  }
}

export function itemRecordOf(row: ItemInRunRow): z.input<typeof ItemRecord> {
  return {
    ...commonOf(row, row),
    project_id: row.project_id,
    agent_id: row.agent_id,
    agent_slug: row.agent_slug,
    outcome_status: row.outcome,
    prices_as_of: pricesAsOf(),
    input_snapshot: row.payloads_purged_at === null ? rawJson(row.input) : null,
    output: row.payloads_purged_at === null ? rawJson(row.output) : null,
  }
}

function iso(at: Date | null): string | null {
  return at === null ? null : at.toISOString()
}
