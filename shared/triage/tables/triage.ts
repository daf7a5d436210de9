// Items that wait for a decision, what was decided about them, and failures that are alike.

import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgEnum, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { outcome } from '../../items/tables/runs.ts'
import { at, createdAt, micro } from '../../kernel/column-types.ts'
import { DISPOSITIONS, TRIAGE_ACTIONS, TRIAGE_LANES } from '../vocabulary.ts'

export const triageLane = pgEnum('triage_lane', TRIAGE_LANES)
export const disposition = pgEnum('disposition', DISPOSITIONS)
export const triageAction = pgEnum('triage_action', TRIAGE_ACTIONS)

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
    /** Of a failed item: the head of its prompt, as shared/triage/rules/clustering.ts reads it from the input. */
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
