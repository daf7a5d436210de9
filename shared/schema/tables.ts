// Every table of Assay. Facts live here and nowhere else; Redis holds only what can be forgotten.
//
// Money is in micro-dollars (`_micro`). Payloads are text, not jsonb: jsonb refuses \u0000, reorders keys and
// rewrites numbers, and an item's input must come back byte for byte.

import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  bigserial,
  boolean,
  customType,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { Price } from '../domain/pricing.ts'
import type { AgentDeclaration } from '../domain/protocol.ts'
import {
  ACCOUNT_STATUSES,
  AGENT_PROTOCOLS,
  DEPLOYMENT_KINDS,
  DISPOSITIONS,
  ITEM_STATUSES,
  MEMBER_ROLES,
  OUTCOMES,
  PURGE_KINDS,
  RECOVERY_STATUSES,
  RUN_STATUSES,
  STEP_KINDS,
  STOP_REASONS,
  TRIAGE_LANES,
} from '../domain/vocabulary.ts'

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })
const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })
const textCollateC = customType<{ data: string }>({ dataType: () => 'text collate "C"' })
const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const micro = (name: string) => bigint(name, { mode: 'number' })
const id = () => uuid('id').primaryKey()
const createdAt = () => at('created_at').notNull().defaultNow()

export const accountStatus = pgEnum('account_status', ACCOUNT_STATUSES)
export const memberRole = pgEnum('member_role', MEMBER_ROLES)
export const itemStatus = pgEnum('item_status', ITEM_STATUSES)
export const outcome = pgEnum('outcome', OUTCOMES)
export const runStatus = pgEnum('run_status', RUN_STATUSES)
export const stopReason = pgEnum('stop_reason', STOP_REASONS)
export const stepKind = pgEnum('step_kind', STEP_KINDS)
export const triageLane = pgEnum('triage_lane', TRIAGE_LANES)
export const disposition = pgEnum('disposition', DISPOSITIONS)
export const recoveryStatus = pgEnum('recovery_status', RECOVERY_STATUSES)
export const purgeKind = pgEnum('purge_kind', PURGE_KINDS)
export const deploymentKind = pgEnum('deployment_kind', DEPLOYMENT_KINDS)
export const agentProtocol = pgEnum('agent_protocol', AGENT_PROTOCOLS)

/** What whoever runs the installation grants an account; absent keys are no bound. */
export interface AccountPlan {
  open_runs?: number
}

export const accounts = pgTable('accounts', {
  id: id(),
  name: text('name').notNull(),
  status: accountStatus('status').notNull().default('active'),
  plan: jsonb('plan').$type<AccountPlan>().notNull().default({}),
  created_at: createdAt(),
})

export const members = pgTable('members', {
  id: id(),
  account_id: uuid('account_id')
    .notNull()
    .references(() => accounts.id, { onDelete: 'cascade' }),
  email: text('email').notNull().unique(),
  role: memberRole('role').notNull().default('owner'),
  password_hash: text('password_hash').notNull(),
  created_at: createdAt(),
})

/** A signed-in member; the row holds the hash of the refresh token, the access token is a JWT. */
export const sessions = pgTable('sessions', {
  id: id(),
  member_id: uuid('member_id')
    .notNull()
    .references(() => members.id, { onDelete: 'cascade' }),
  refresh_hash: bytea('refresh_hash').notNull().unique(),
  /** What the client called itself, so that people recognize their sessions. */
  user_agent: text('user_agent').notNull().default(''),
  created_at: createdAt(),
  last_used_at: at('last_used_at').notNull().defaultNow(),
  expires_at: at('expires_at').notNull(),
  revoked_at: at('revoked_at'),
})

/** What an operator may set on a project; absent keys mean the bound in LIMITS. */
export interface ProjectSettings {
  concurrency?: number
  partition_concurrency?: number
  keys_may_mint?: boolean
  /** Days after its submission that a run keeps its steps, its items' inputs and outputs, and itself. */
  step_retention_days?: number
  payload_retention_days?: number
  record_retention_days?: number
  requests_per_second?: number
  open_runs?: number
  prices?: Record<string, Price>
}

export const projects = pgTable(
  'projects',
  {
    id: id(),
    /** Null once the project was deleted: nobody finds it any more, and the tick removes it step by step. */
    account_id: uuid('account_id').references(() => accounts.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    settings: jsonb('settings').$type<ProjectSettings>().notNull().default({}),
    /** Money the project may spend in all; null is no bound. */
    credit_micro: micro('credit_micro'),
    created_at: createdAt(),
    updated_at: at('updated_at').notNull().defaultNow(),
  },
  t => [
    index('projects_account').on(t.account_id),
    index('projects_deleted').on(t.id).where(sql`account_id is null`),
  ],
)

/** The two numbers every claim and every settle of a project change, kept apart because they change so often. */
export const projectUsage = pgTable('project_usage', {
  project_id: uuid('project_id')
    .primaryKey()
    .references(() => projects.id, { onDelete: 'cascade' }),
  running: integer('running').notNull().default(0),
  spent_micro: micro('spent_micro').notNull().default(0),
  /** Items that failed, and how often the clusters they make have changed. Kept by the triggers on `triage`. */
  failures: micro('failures').notNull().default(0),
  failure_changes: micro('failure_changes').notNull().default(0),
})

export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    prefix: text('prefix').notNull(),
    hash: bytea('hash').notNull().unique(),
    created_at: createdAt(),
    last_used_at: at('last_used_at'),
    revoked_at: at('revoked_at'),
  },
  t => [index('api_keys_project').on(t.project_id)],
)

export const agents = pgTable(
  'agents',
  {
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    slug: text('slug').notNull(),
    description: text('description').notNull().default(''),
    config: jsonb('config').$type<Record<string, unknown>>().notNull().default({}),
    config_version: integer('config_version').notNull().default(1),
    /** References a deployment of its own; the constraint is written by hand, since each table names the other. */
    current_deployment_id: uuid('current_deployment_id'),
    created_at: createdAt(),
    updated_at: at('updated_at').notNull().defaultNow(),
    /** Set once the agent was deleted: nobody finds it any more, and the tick removes it with its runs. */
    deleted_at: at('deleted_at'),
  },
  t => [
    // A deleted agent gives its slug back.
    uniqueIndex('agents_project_slug').on(t.project_id, t.slug).where(sql`deleted_at is null`),
    unique('agents_project_id').on(t.project_id, t.id),
    index('agents_deleted').on(t.id).where(sql`deleted_at is not null`),
  ],
)

/** Code of bundle deployments, stored once per content. */
export const bundles = pgTable('bundles', {
  hash: text('hash').primaryKey(),
  code: text('code').notNull(),
  created_at: createdAt(),
})

/** Immutable: a new version is a new row; promoting an old one moves the agent's pointer. */
export const deployments = pgTable(
  'deployments',
  {
    id: id(),
    project_id: uuid('project_id').notNull(),
    agent_id: uuid('agent_id').notNull(),
    version: integer('version').notNull(),
    kind: deploymentKind('kind').notNull(),
    protocol: agentProtocol('protocol').notNull().default('ndjson'),
    url: text('url'),
    bundle_hash: text('bundle_hash').references(() => bundles.hash),
    declaration: jsonb('declaration').$type<AgentDeclaration>().notNull(),
    /** The environment, encrypted with a key that is not in the database. */
    env_sealed: text('env_sealed'),
    external_id: text('external_id'),
    created_at: createdAt(),
  },
  t => [
    unique('deployments_agent_version').on(t.agent_id, t.version),
    unique('deployments_project_id').on(t.project_id, t.id),
    foreignKey({
      columns: [t.project_id, t.agent_id],
      foreignColumns: [agents.project_id, agents.id],
    }).onDelete('cascade'),
  ],
)

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
    replay_of: uuid('replay_of'),
    /** The recovery that made the run. */
    recovery_id: uuid('recovery_id'),
    materializing: boolean('materializing').notNull().default(false),
    stop_reason: stopReason('stop_reason'),
    /** A function of the flags and counters, so no statement can store a status that its counters deny. */
    status: runStatus('status').generatedAlwaysAs(
      sql`run_status_of(materializing, started_at is not null, stop_reason, total_items, ok, degraded, failed, budget_exceeded, cancelled, undecided)`,
    ),
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
    paused: integer('paused').notNull().default(0),
    /** Some of the paused items go on by themselves when the project has credit again. */
    waits_for_credit: boolean('waits_for_credit').notNull().default(false),
    /** Items that did not work and still wait for a decision. */
    undecided: integer('undecided').notNull().default(0),
    consecutive_failures: integer('consecutive_failures').notNull().default(0),
    cost_micro: micro('cost_micro').notNull().default(0),
    input_tokens: micro('input_tokens').notNull().default(0),
    output_tokens: micro('output_tokens').notNull().default(0),
    unpriced_items: integer('unpriced_items').notNull().default(0),
    created_at: createdAt(),
    /** When a claim or a chunk of the submission last touched the run; the least recently touched is served first. */
    touched_at: at('touched_at').notNull().defaultNow(),
    started_at: at('started_at'),
    finished_at: at('finished_at'),
    /** Retention has taken the run's steps, or its items' inputs and outputs: they are not shown from then on. */
    steps_purged_at: at('steps_purged_at'),
    payloads_purged_at: at('payloads_purged_at'),
  },
  t => [
    unique('runs_project').on(t.project_id, t.id),
    index('runs_agent').on(t.agent_id, t.id),
    index('runs_open').on(t.project_id, t.id).where(sql`finished_at is null`),
    index('runs_with_steps').on(t.project_id, t.id).where(sql`steps_purged_at is null`),
    index('runs_with_payloads').on(t.project_id, t.id).where(sql`payloads_purged_at is null`),
    // What a row names lies in the row's own project, whatever a query forgets.
    foreignKey({
      columns: [t.project_id, t.agent_id],
      foreignColumns: [agents.project_id, agents.id],
    }).onDelete('cascade'),
    foreignKey({
      columns: [t.project_id, t.deployment_id],
      foreignColumns: [deployments.project_id, deployments.id],
    }).onDelete('cascade'),
  ],
)

/** Binds a row to a run of the row's own project. */
function runOf(t: { project_id: AnyPgColumn; run_id: AnyPgColumn }) {
  return foreignKey({
    columns: [t.project_id, t.run_id],
    foreignColumns: [runs.project_id, runs.id],
  }).onDelete('cascade')
}

/**
 * The pile. Rows are written once, in the order of `seq`; fillfactor leaves room for the two later versions of a
 * row on its own page, and no index names a column that changes, so claiming and settling are HOT updates.
 */
export const items = pgTable(
  'items',
  {
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
    input: text('input').notNull(),
    output: text('output'),
  },
  t => [primaryKey({ columns: [t.run_id, t.seq] }), index('items_item_id').on(t.item_id)],
)

/** Attempts that ended without ending their item: transport faults, retries, lost leases, hand-overs. */
export const attempts = pgTable(
  'attempts',
  {
    run_id: uuid('run_id').notNull(),
    seq: integer('seq').notNull(),
    attempt: smallint('attempt').notNull(),
    started_at: at('started_at'),
    ended_at: at('ended_at').notNull().defaultNow(),
    code: text('code').notNull(),
    message: text('message').notNull().default(''),
  },
  t => [primaryKey({ columns: [t.run_id, t.seq, t.attempt] })],
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
  },
  t => [runOf(t)],
)

/** Items to be offered again, below the run's cursor. */
export const dueItems = pgTable(
  'due_items',
  {
    run_id: uuid('run_id').notNull(),
    seq: integer('seq').notNull(),
    due_at: at('due_at').notNull(),
    /** Offered in a request and a process of its own: it may have been the one that killed the last. */
    alone: boolean('alone').notNull().default(false),
  },
  t => [primaryKey({ columns: [t.run_id, t.seq] }), index('due_items_due').on(t.due_at)],
)

/**
 * Nodes of items' traces. Partitioned by ranges of run_id, which is time-ordered, so that retention drops whole
 * partitions and an item's steps are found in one of them. Copied from earlier items: `reused`, at no cost.
 */
export const steps = pgTable(
  'steps',
  {
    run_id: uuid('run_id').notNull(),
    seq: integer('seq').notNull(),
    step_no: integer('step_no').notNull(),
    attempt: smallint('attempt').notNull(),
    kind: stepKind('kind').notNull(),
    outcome: outcome('outcome').notNull(),
    unpriced: boolean('unpriced').notNull().default(false),
    reused: boolean('reused').notNull().default(false),
    input_tokens: integer('input_tokens').notNull().default(0),
    output_tokens: integer('output_tokens').notNull().default(0),
    cost_micro: micro('cost_micro').notNull().default(0),
    started_at: at('started_at').notNull(),
    duration_ms: doublePrecision('duration_ms').notNull(),
    key: text('key').notNull(),
    name: text('name').notNull(),
    model: text('model'),
    outcome_reason: text('outcome_reason'),
    error_code: text('error_code'),
    error_message: text('error_message'),
    input: text('input'),
    output: text('output'),
  },
  t => [primaryKey({ columns: [t.run_id, t.seq, t.step_no] })],
)

/**
 * What steps are searched by, beside the steps so that writing them stays cheap: full text costs 30 µs a step, a step
 * itself 5. A trigger files new steps in `unindexed_steps`; a chore, and every search before it looks, indexes them.
 * Partitioned like the steps; rows go when theirs do.
 */
export const stepIndex = pgTable(
  'step_index',
  {
    run_id: uuid('run_id').notNull(),
    seq: integer('seq').notNull(),
    step_no: integer('step_no').notNull(),
    project_id: uuid('project_id').notNull(),
    started_at: at('started_at').notNull(),
    cost_micro: micro('cost_micro').notNull(),
    kind: stepKind('kind').notNull(),
    outcome: outcome('outcome').notNull(),
    outcome_reason: text('outcome_reason'),
    error_code: text('error_code'),
    name: text('name').notNull(),
    words: tsvector('words').notNull(),
  },
  t => [
    primaryKey({ columns: [t.run_id, t.seq, t.step_no] }),
    index('step_index_recent').on(t.project_id, t.started_at),
    index('step_index_run').on(t.run_id, t.started_at),
    index('step_index_cost').on(t.project_id, t.cost_micro).where(sql`cost_micro > 0`),
    index('step_index_outcome').on(t.project_id, t.outcome, t.started_at).where(sql`outcome <> 'ok'`),
    index('step_index_reason')
      .on(t.project_id, t.outcome_reason, t.started_at)
      .where(sql`outcome_reason is not null`),
    index('step_index_name').on(t.project_id, t.name, t.started_at),
    index('step_index_words').using('gin', t.words),
  ],
)

/** Steps that were written and are not in the index yet: one row for each run in a flush. */
export const unindexedSteps = pgTable('unindexed_steps', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  run_id: uuid('run_id').notNull(),
  seqs: integer('seqs').array().notNull(),
})

/** Runs whose steps, payloads or whole record are being removed by retention, and how far that is. */
export const purges = pgTable(
  'purges',
  {
    run_id: uuid('run_id').notNull(),
    kind: purgeKind('kind').notNull(),
    next_seq: integer('next_seq').notNull().default(1),
  },
  t => [primaryKey({ columns: [t.run_id, t.kind] })],
)

/** Items that need a decision: what did not work (`dlq`) and what is held (`quarantine`). */
export const triage = pgTable(
  'triage',
  {
    run_id: uuid('run_id').notNull(),
    seq: integer('seq').notNull(),
    project_id: uuid('project_id').notNull(),
    agent_id: uuid('agent_id').notNull(),
    lane: triageLane('lane').notNull(),
    reason: text('reason').notNull(),
    error_code: text('error_code'),
    partition_key: text('partition_key'),
    /** Of a failed item: the head of its prompt, as shared/domain/clustering.ts reads it from the input. */
    prompt: text('prompt'),
    cluster_key: text('cluster_key').generatedAlwaysAs(
      sql`case when prompt is not null then error_code || ':' || left(md5(prompt), 16) end`,
    ),
    created_at: createdAt(),
    disposition: disposition('disposition'),
    decided_at: at('decided_at'),
  },
  t => [
    primaryKey({ columns: [t.run_id, t.seq] }),
    runOf(t),
    index('triage_open')
      .on(t.project_id, t.lane, t.created_at, t.run_id, t.seq)
      .where(sql`disposition is null`),
    // One for each filter of the feed, in the order of its pages.
    index('triage_open_run').on(t.run_id, t.lane, t.created_at, t.seq).where(sql`disposition is null`),
    index('triage_open_agent')
      .on(t.agent_id, t.lane, t.created_at, t.run_id, t.seq)
      .where(sql`disposition is null`),
    index('triage_open_reason')
      .on(t.project_id, t.lane, t.reason, t.created_at, t.run_id, t.seq)
      .where(sql`disposition is null`),
    index('triage_open_partition')
      .on(t.project_id, t.lane, t.partition_key, t.created_at, t.run_id, t.seq)
      .where(sql`disposition is null and partition_key is not null`),
    index('triage_cluster')
      .on(t.project_id, t.cluster_key, t.created_at, t.run_id, t.seq)
      .where(sql`cluster_key is not null`),
    // Ended by a statement that had no input at hand; the tick reads their prompts.
    index('triage_unclustered').on(t.run_id, t.seq).where(sql`error_code is not null and prompt is null`),
  ],
)

/** Which item replays which, to be read in the direction that `items.replayed_from` does not serve. */
export const replays = pgTable(
  'replays',
  {
    from_run_id: uuid('from_run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    from_seq: integer('from_seq').notNull(),
    run_id: uuid('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    seq: integer('seq').notNull(),
  },
  t => [
    primaryKey({ columns: [t.from_run_id, t.from_seq, t.run_id, t.seq] }),
    index('replays_run').on(t.run_id, t.seq),
  ],
)

/** Failed items of a project that share an error code and the head of their prompt. Kept by triggers on `triage`. */
export const failureClusters = pgTable(
  'failure_clusters',
  {
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    cluster_key: text('cluster_key').notNull(),
    error_code: text('error_code').notNull(),
    sample_prompt: text('sample_prompt').notNull(),
    count: integer('count').notNull(),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.cluster_key] }),
    index('failure_clusters_size').on(t.project_id, t.count).where(sql`count > 1`),
  ],
)

/** What a recovery was asked to replay; absent keys let everything pass. */
export interface RecoveryFilter {
  run_id?: string | undefined
  agent_id?: string | undefined
  cluster_key?: string | undefined
  reason?: string | undefined
  partition_key?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The replay of a whole cohort: a pilot where one was asked for, then the rest. */
export const recoveries = pgTable(
  'recoveries',
  {
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    agent_id: uuid('agent_id').notNull(),
    name: text('name'),
    filter: jsonb('filter').$type<RecoveryFilter>().notNull(),
    /** Items that were eligible when it was made. */
    eligible: integer('eligible').notNull(),
    /** How many go first; null is all at once. */
    first: integer('first'),
    status: recoveryStatus('status').notNull().default('creating'),
    pilot_run_id: uuid('pilot_run_id'),
    /** What the pilot told; null until it has ended. */
    pilot_better: boolean('pilot_better'),
    run_id: uuid('run_id'),
    created_at: createdAt(),
    finished_at: at('finished_at'),
  },
  t => [
    index('recoveries_project').on(t.project_id, t.id),
    index('recoveries_open').on(t.id).where(sql`finished_at is null`),
    foreignKey({
      columns: [t.project_id, t.agent_id],
      foreignColumns: [agents.project_id, agents.id],
    }).onDelete('cascade'),
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
    runOf(t),
  ],
)

/** Messages to the outside, written in the transaction that made them true. */
export const outbox = pgTable(
  'outbox',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    project_id: uuid('project_id').notNull(),
    run_id: uuid('run_id').notNull(),
    kind: text('kind').notNull(),
    url: text('url').notNull(),
    tries: smallint('tries').notNull().default(0),
    due_at: at('due_at').notNull().defaultNow(),
    created_at: createdAt(),
    delivered_at: at('delivered_at'),
  },
  t => [index('outbox_due').on(t.due_at).where(sql`delivered_at is null`), runOf(t)],
)

/** Who changed what and when. Values are not kept, only which fields were named: they may be secrets. */
export const auditLog = pgTable(
  'audit_log',
  {
    /** A UUIDv7: the order of entries. */
    id: id(),
    account_id: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** Null for what concerns the account as a whole; kept when the project is gone. */
    project_id: uuid('project_id'),
    actor_kind: text('actor_kind').$type<'key' | 'member'>().notNull(),
    actor_id: uuid('actor_id').notNull(),
    /** The key's prefix or the member's e-mail, since the actor may be gone when this is read. */
    actor_name: text('actor_name').notNull(),
    /** The operation. */
    action: text('action').notNull(),
    target_id: uuid('target_id'),
    fields: text('fields').array().notNull().default([]),
    created_at: createdAt(),
  },
  t => [index('audit_log_account').on(t.account_id, t.id), index('audit_log_project').on(t.project_id, t.id)],
)
