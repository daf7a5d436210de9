// Tables of runs and their items. Every fact about queued, running or finished work is a row here.

import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  bigserial,
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { OPENED, ofProject, ofRun } from '../../accounts/tables/tenant.ts'
import { agentOf, deployments } from '../../agents/tables/agents.ts'
import type { CheckedRun } from '../../grading/rules/run-checks.ts'
import { at, createdAt, id, micro, projectOfRun, textCollateC } from '../../kernel/column-types.ts'
import { ITEM_STATUSES, OUTCOMES, RUN_STATUSES, STOP_REASONS, type StartedBy } from '../vocabulary.ts'

export const runStatus = pgEnum('run_status', RUN_STATUSES)
export const stopReason = pgEnum('stop_reason', STOP_REASONS)
export const itemStatus = pgEnum('item_status', ITEM_STATUSES)
export const outcome = pgEnum('outcome', OUTCOMES)

export const runs = pgTable(
  'runs',
  {
    /** A UUIDv7 whose last 32 bits are zero: an item's id is the run's with its seq there. */
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    agent_id: uuid('agent_id').notNull(),
    /** Fixed at submission, or at the first claim when nothing was deployed yet. */
    deployment_id: uuid('deployment_id'),
    name: text('name'),
    /** Null where nobody is known, as of runs from before this was kept. */
    started_by: jsonb('started_by').$type<StartedBy>(),
    /** Words by which people find the run. */
    tags: text('tags').array().notNull().default([]),
    replay_of: uuid('replay_of'),
    /** The recovery that made the run. */
    recovery_id: uuid('recovery_id'),
    materializing: boolean('materializing').notNull().default(false),
    /** Its items are read from a source: the run is hidden until the source was read to its end without an error. */
    from_source: boolean('from_source').notNull().default(false),
    stop_reason: stopReason('stop_reason'),
    /** Why it had stopped before it was cancelled. */
    first_stop_reason: stopReason('first_stop_reason'),
    /** A function of the flags and counters, so no statement can store a status that its counters deny. */
    status: runStatus('status').generatedAlwaysAs(
      sql`run_status_of(materializing, started_at is not null, stop_reason, total_items, ok, degraded, failed, budget_exceeded, cancelled, undecided)`,
    ),
    /** In a pilot, how many of its first items are offered; null is all of them. A failed pilot keeps it. */
    pilot_items: integer('pilot_items'),
    budget_micro: micro('budget_micro'),
    concurrency: integer('concurrency'),
    timeout_seconds: integer('timeout_seconds'),
    callback_url: text('callback_url'),
    total_items: integer('total_items').notNull().default(0),
    input_bytes: micro('input_bytes').notNull().default(0),
    /** Items below this seq have been offered at least once. */
    next_seq: integer('next_seq').notNull().default(1),
    running: integer('running').notNull().default(0),
    ok: integer('ok').notNull().default(0),
    degraded: integer('degraded').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    budget_exceeded: integer('budget_exceeded').notNull().default(0),
    cancelled: integer('cancelled').notNull().default(0),
    /** Of the cancelled items, those that have been replayed. */
    cancelled_replayed: integer('cancelled_replayed').notNull().default(0),
    paused: integer('paused').notNull().default(0),
    /** The first unpriced model it called, or the one that holds it; empty if no price would say what a call cost. */
    unpriced_model: text('unpriced_model'),
    /** Under a budget, nothing more is dispatched until that price is set, unless allow_unpriced is set. */
    waits_for_price: boolean('waits_for_price').notNull().default(false),
    allow_unpriced: boolean('allow_unpriced').notNull().default(false),
    /** Some of the paused items continue by themselves when there is credit, a period's budget or a price again. */
    waits_for_credit: boolean('waits_for_credit').notNull().default(false),
    /** Items that did not work and still wait for a decision. */
    undecided: integer('undecided').notNull().default(0),
    /** Replayed items that ran nothing again and ended like their originals. */
    unchanged: integer('unchanged').notNull().default(0),
    consecutive_failures: integer('consecutive_failures').notNull().default(0),
    /** The upstream that its items wait for, and since when; while it is set, no fresh items are offered. */
    waits_for: uuid('waits_for'),
    waits_since: at('waits_since'),
    /** How long its items have waited for upstreams before that. */
    waited_ms: micro('waited_ms').notNull().default(0),
    /** The upstreams that they waited for. */
    waited_for: uuid('waited_for').array().notNull().default([]),
    /** The most that they may; null is the declaration's, or the default. */
    patience_seconds: integer('patience_seconds'),
    /** Set when that time is over: why the items that are left fail. */
    unavailable: text('unavailable'),
    cost_micro: micro('cost_micro').notNull().default(0),
    input_tokens: micro('input_tokens').notNull().default(0),
    output_tokens: micro('output_tokens').notNull().default(0),
    unpriced_items: integer('unpriced_items').notNull().default(0),
    /** Answers of models to be graded, and how many of them could not be read. */
    model_calls: micro('model_calls').notNull().default(0),
    unread_calls: micro('unread_calls').notNull().default(0),
    /** Answers graded ok that are suspected refusals. */
    suspected_calls: micro('suspected_calls').notNull().default(0),
    /** Figures about its answers and what checks over the run found in them; null if the run was not checked. */
    answer_figures: jsonb('answer_figures').$type<CheckedRun>(),
    created_at: createdAt(),
    /** When a claim or a chunk of the submission last touched the run; the least recently touched is served first. */
    touched_at: at('touched_at').notNull().defaultNow(),
    started_at: at('started_at'),
    finished_at: at('finished_at'),
    /** When retention took the run's steps, and its items' inputs and outputs; they are not shown from then on. */
    steps_purged_at: at('steps_purged_at'),
    payloads_purged_at: at('payloads_purged_at'),
  },
  t => [
    unique('runs_project').on(t.project_id, t.id),
    index('runs_agent').on(t.agent_id, t.id),
    // Each replay of an item is a run: a search for the others would read all replays since.
    index('runs_first')
      .on(t.project_id, t.agent_id, t.id)
      .where(sql`replay_of is null and recovery_id is null`),
    index('runs_open').on(t.project_id, t.id).where(sql`finished_at is null`),
    index('runs_with_steps').on(t.project_id, t.id).where(sql`steps_purged_at is null`),
    index('runs_waiting_for_price').on(t.project_id, t.id).where(sql`waits_for_price`),
    index('runs_waiting').on(t.project_id, t.waits_for).where(sql`waits_for is not null`),
    index('runs_with_payloads').on(t.project_id, t.id).where(sql`payloads_purged_at is null`),
    // A row refers only to rows of its own project, even if a query forgets the project.
    agentOf(t),
    foreignKey({
      columns: [t.project_id, t.deployment_id],
      foreignColumns: [deployments.project_id, deployments.id],
    }).onDelete('cascade'),
    ofProject(t, OPENED),
  ],
)

/**
 * Condition on a run, by its alias: it is neither a replay nor of a recovery. Scores, estimates, alerts and digests are
 * of such runs alone: whoever tries items again watches that, and no try may make a day look worse.
 */
export const isFirstRun = (run: string) => `(${run}.replay_of is null and ${run}.recovery_id is null)`

/** Binds a row to a run of the row's own project. */
export function runOf(t: { project_id: AnyPgColumn; run_id: AnyPgColumn }) {
  return foreignKey({
    columns: [t.project_id, t.run_id],
    foreignColumns: [runs.project_id, runs.id],
  }).onDelete('cascade')
}

/**
 * The batch. Rows are written once, in the order of `seq`; fillfactor leaves room for the two later versions of a
 * row on its own page, and no index names a column that changes, so claiming and settling are HOT updates.
 */
export const items = pgTable(
  'items',
  {
    project_id: projectOfRun(),
    run_id: uuid('run_id').notNull(),
    seq: integer('seq').notNull(),
    /** The item's line in the submission; differs from seq because partitions are interleaved. */
    line: integer('line').notNull(),
    status: itemStatus('status').notNull(),
    outcome: outcome('outcome'),
    attempt: smallint('attempt').notNull().default(0),
    agent_failures: smallint('agent_failures').notNull().default(0),
    transport_failures: smallint('transport_failures').notNull().default(0),
    unpriced: boolean('unpriced').notNull().default(false),
    model_calls: integer('model_calls').notNull().default(0),
    unread_calls: integer('unread_calls').notNull().default(0),
    suspected_calls: integer('suspected_calls').notNull().default(0),
    step_count: integer('step_count').notNull().default(0),
    /** Running time of earlier attempts that yielded. */
    ran_ms: integer('ran_ms').notNull().default(0),
    input_tokens: integer('input_tokens').notNull().default(0),
    output_tokens: integer('output_tokens').notNull().default(0),
    cost_micro: micro('cost_micro').notNull().default(0),
    /** Granted by resuming the item at its fence, on top of the budget its agent declares. */
    extra_budget_micro: micro('extra_budget_micro'),
    started_at: at('started_at'),
    completed_at: at('completed_at'),
    replayed_from: uuid('replayed_from'),
    item_id: textCollateC('item_id').notNull(),
    partition_key: text('partition_key'),
    outcome_reason: text('outcome_reason'),
    degraded_reason: text('degraded_reason'),
    error_code: text('error_code'),
    error_message: text('error_message'),
    /** The version of the code that ended it, or that holds it: a `no` of code_versions or 0 for any other; null if its answer named none. */
    code_version: integer('code_version'),
    input: text('input').notNull(),
    output: text('output'),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.run_id, t.seq] }),
    index('items_item_id').on(t.item_id),
    ofRun(t),
  ],
)

/** Items that ended, by the version of the code that their answers named. A run has few rows, or none. */
export const runVersions = pgTable(
  'run_versions',
  {
    project_id: projectOfRun(),
    run_id: uuid('run_id').notNull(),
    /** As in items. */
    code_version: integer('code_version').notNull(),
    ok: integer('ok').notNull(),
    degraded: integer('degraded').notNull(),
    failed: integer('failed').notNull(),
    cost_micro: micro('cost_micro').notNull(),
  },
  t => [primaryKey({ columns: [t.project_id, t.run_id, t.code_version] }), runOf(t), ofProject(t)],
)

/** Attempts that ended without ending their item: transport faults, retries, lost leases, hand-overs. */
export const attempts = pgTable(
  'attempts',
  {
    project_id: projectOfRun(),
    run_id: uuid('run_id').notNull(),
    seq: integer('seq').notNull(),
    attempt: smallint('attempt').notNull(),
    started_at: at('started_at'),
    ended_at: at('ended_at').notNull().defaultNow(),
    code: text('code').notNull(),
    message: text('message').notNull().default(''),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.run_id, t.seq, t.attempt] }),
    // How many items of a run were sent again because of others, without reading all of its attempts.
    index('attempts_split').on(t.project_id, t.run_id, t.seq).where(sql`code = 'request_split'`),
    ofProject(t),
  ],
)

/** A lease on a batch of items. One row a batch, so that a heartbeat writes one row and not a thousand. */
export const claims = pgTable(
  'claims',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    run_id: uuid('run_id').notNull(),
    project_id: uuid('project_id').notNull(),
    seqs: integer('seqs').array().notNull(),
    attempts: smallint('attempts').array().notNull(),
    lease_until: at('lease_until').notNull(),
    /** If the agent answers later: the claim that the items were sent under, and when they must have ended. */
    handed_from: bigint('handed_from', { mode: 'number' }),
    answer_until: at('answer_until'),
    /** When that agent last sent something. */
    heard_at: at('heard_at'),
  },
  t => [
    index('claims_handed_from').on(t.handed_from).where(sql`handed_from is not null`),
    runOf(t),
    ofProject(t),
  ],
)

/** Items to be offered again, below the run's cursor. */
export const dueItems = pgTable(
  'due_items',
  {
    project_id: projectOfRun(),
    run_id: uuid('run_id').notNull(),
    seq: integer('seq').notNull(),
    due_at: at('due_at').notNull(),
    /**
     * The most items that it may be sent together with, itself included, since one of them may have ended their last
     * request or process; null if any number may be.
     */
    together: smallint('together'),
    /**
     * How often a step of the item was cut off. Set if only a fresh consumer, one that has just started, takes the
     * item, since the step takes longer than others have left.
     */
    cuts: smallint('cuts'),
    /** The upstream that stopped the item. It waits for it while `due_at` is infinite. */
    upstream_id: uuid('upstream_id'),
    /** How often it was stopped there since its last recorded step, and how often of these while others were not. */
    stops: smallint('stops'),
    refusals: smallint('refusals'),
    /** How often an answer to the same step was cut, each of which may have been paid. */
    cut_answers: smallint('cut_answers'),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.run_id, t.seq] }),
    index('due_items_due').on(t.due_at),
    // A claim's plan is cached and made for no run: by the index above it may walk the due items of all runs.
    index('due_items_of_run').on(t.run_id, t.due_at),
    // Those that were stopped least often are tried first.
    index('due_items_upstream')
      .on(t.upstream_id, t.stops, t.run_id, t.seq)
      .where(sql`upstream_id is not null`),
    index('due_items_cuts').on(t.run_id).where(sql`cuts is not null`),
    ofProject(t),
  ],
)

/** The first answer to a keyed request, repeated for 24 hours. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    fingerprint: text('fingerprint').notNull(),
    run_id: uuid('run_id').notNull(),
    created_at: createdAt(),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.key] }),
    index('idempotency_keys_created').on(t.created_at),
    index('idempotency_keys_run').on(t.run_id), // without it, removing a run reads all keys of its project
    runOf(t),
  ],
)
