// Items that did not work, what was decided about them, and what replays them.

import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgEnum, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { outcome, runs } from '../../items/tables/runs.ts'
import { at, createdAt, id, micro, projectOfRun } from '../../kernel/column-types.ts'
import {
  DEPLOYMENT_CHOICES,
  DISPOSITIONS,
  type RECORDED_LANES,
  RECOVERY_STATUSES,
  REUSE_CHOICES,
  TRIAGE_ACTIONS,
  TRIAGE_LANES,
} from '../vocabulary.ts'

export const triageLane = pgEnum('triage_lane', TRIAGE_LANES)
export const disposition = pgEnum('disposition', DISPOSITIONS)
export const deploymentChoice = pgEnum('deployment_choice', DEPLOYMENT_CHOICES)
export const reuseChoice = pgEnum('reuse_choice', REUSE_CHOICES)
export const triageAction = pgEnum('triage_action', TRIAGE_ACTIONS)
export const recoveryStatus = pgEnum('recovery_status', RECOVERY_STATUSES)

/**
 * Items that need a decision: what did not work (`dlq`), what is held (`quarantine`), what may not have worked (`review`).
 * That its run is of its project a trigger checks once a statement, where a foreign key did for each row of a flush.
 */
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
    /** Of a failed item: the head of its prompt, as shared/recovery/rules/clustering.ts reads it from the input. */
    prompt: text('prompt'),
    cluster_key: text('cluster_key').generatedAlwaysAs(
      sql`case when prompt is not null then error_code || ':' || left(md5(prompt), 16) end`,
    ),
    /**
     * The cause of it; null until the tick has named that of an item which ended without being dispatched, and '' of what
     * is asked of people (`review`), which has none: so no tick reads it again and again, and no older one names it.
     */
    cause_id: text('cause_id'),
    /** What the item had cost when it came here. */
    cost_micro: micro('cost_micro').notNull().default(0),
    created_at: createdAt(),
    disposition: disposition('disposition'),
    decided_at: at('decided_at'),
    /** The verdict that people gave it instead of the recorded one. */
    corrected: outcome('corrected'),
    /** What was decided says whether its reason was right, and is counted in `verdict_days`. */
    judged: boolean('judged').notNull().default(false),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.run_id, t.seq] }),
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
    index('triage_cause')
      .on(t.project_id, t.cause_id, t.created_at, t.run_id, t.seq)
      .where(sql`cause_id is not null`),
    index('triage_without_cause').on(t.run_id, t.seq).where(sql`cause_id is null`),
    // Ended by a statement that had no input at hand; the tick reads their prompts.
    index('triage_unclustered').on(t.run_id, t.seq).where(sql`error_code is not null and prompt is null`),
  ],
)

/** Which item replays which, to be read in the direction that `items.replayed_from` does not serve. */
export const replays = pgTable(
  'replays',
  {
    project_id: projectOfRun(),
    from_run_id: uuid('from_run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    from_seq: integer('from_seq').notNull(),
    run_id: uuid('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    seq: integer('seq').notNull(),
    /** Numbers of steps of the original that stand for calls with the same input; null is none. */
    offered_steps: integer('offered_steps').array(),
    /** No step of the replay ran, and it ended like its original. */
    unchanged: boolean('unchanged').notNull().default(false),
  },
  t => [
    primaryKey({ columns: [t.from_run_id, t.from_seq, t.run_id, t.seq] }),
    index('replays_run').on(t.run_id, t.seq),
    ofProject(t),
  ],
)

/**
 * Failed items of a project that share an error code and the head of their prompt. Kept by triggers on `triage`, whose
 * rows are of a run of the project: the last of a cluster takes it along, so no foreign key has to look at each.
 */
export const failureClusters = pgTable(
  'failure_clusters',
  {
    project_id: uuid('project_id').notNull(),
    cluster_key: text('cluster_key').notNull(),
    error_code: text('error_code').notNull(),
    sample_prompt: text('sample_prompt').notNull(),
    count: integer('count').notNull(),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.cluster_key] }),
    index('failure_clusters_size').on(t.project_id, t.count).where(sql`count > 1`),
    ofProject(t),
  ],
)

/** What a recovery was asked to act on; absent keys let everything pass. */
export interface RecoveryFilter {
  run_id?: string | undefined
  kind?: (typeof RECORDED_LANES)[number] | undefined
  agent_id?: string | undefined
  cluster_key?: string | undefined
  cause_id?: string | undefined
  reason?: string | undefined
  partition_key?: string | undefined
  from?: string | undefined
  to?: string | undefined
  /** Items of a stopped run that were never finished, instead of those in triage. */
  status?: 'cancelled' | undefined
}

/** A whole cohort acted on: replayed, with a pilot where one was asked for, or decided about. */
export const recoveries = pgTable(
  'recoveries',
  {
    id: id(),
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name'),
    action: triageAction('action').notNull().default('replay'),
    filter: jsonb('filter').$type<RecoveryFilter>().notNull(),
    /** Items that were eligible when it was made. */
    eligible: integer('eligible').notNull(),
    /** How many go first; null is all at once. */
    first: integer('first'),
    status: recoveryStatus('status').notNull().default('creating'),
    deployment: deploymentChoice('deployment').notNull().default('current'),
    reuse: reuseChoice('reuse').notNull().default('auto'),
    /** A step that runs again with all that follows it; items without it go by `reuse`. */
    from_step: text('from_step'),
    /** Of all its runs together; with one, a part of it is one run. */
    budget_micro: micro('budget_micro'),
    /** A run for each agent, and with original deployments for each of those. */
    pilot_run_ids: uuid('pilot_run_ids').array().notNull().default([]),
    /** What the pilot told; null until it has ended. */
    pilot_better: boolean('pilot_better'),
    run_ids: uuid('run_ids').array().notNull().default([]),
    /** Items decided about, where it is no replay. */
    decided: integer('decided').notNull().default(0),
    /** The last item that was looked at for that; in the order of runs, and within one of its items. */
    reached_run_id: uuid('reached_run_id'),
    reached_seq: integer('reached_seq'),
    created_at: createdAt(),
    finished_at: at('finished_at'),
  },
  t => [
    index('recoveries_project').on(t.project_id, t.id),
    index('recoveries_open').on(t.id).where(sql`finished_at is null`),
    ofProject(t),
  ],
)
