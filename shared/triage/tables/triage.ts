// Tables of items that wait for a decision, what was decided about them, and failure clusters.

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
 * Items that need a decision: they did not work (`dlq`), are held (`quarantine`) or may not have worked (`review`).
 * A trigger checks once per statement that the run is of the project; a foreign key did so for each row of a flush.
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
    /** The head of a failed item's prompt, as shared/triage/rules/clustering.ts reads it from the input. */
    prompt: text('prompt'),
    cluster_key: text('cluster_key').generatedAlwaysAs(
      sql`case when prompt is not null then error_code || ':' || left(md5(prompt), 16) end`,
    ),
    /**
     * The item's cause; null until the tick has named it, if the item ended without being dispatched. A `review` has no
     * cause and stores '', so that no tick reads it again and again, and no tick of an older version names one.
     */
    cause_id: text('cause_id'),
    /** The item's cost when it came into triage. */
    cost_micro: micro('cost_micro').notNull().default(0),
    created_at: createdAt(),
    disposition: disposition('disposition'),
    decided_at: at('decided_at'),
    /**
     * Who decided, by the name of then (`authorOf`); null where no caller did. While nothing is decided about an ok item
     * that was called wrong: who called it so, and `decided_at` when.
     */
    decided_by: text('decided_by'),
    /** The verdict that people gave the item instead of the recorded one. */
    corrected: outcome('corrected'),
    /** The decision says whether the reason was right, and is counted in `verdict_days`. */
    judged: boolean('judged').notNull().default(false),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.run_id, t.seq] }),
    index('triage_open')
      .on(t.project_id, t.lane, t.created_at, t.run_id, t.seq)
      .where(sql`disposition is null`),
    // One index for each filter of the feed, in the order of its pages.
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
    // Items ended by a statement that did not have their inputs; the tick reads their prompts.
    index('triage_unclustered').on(t.run_id, t.seq).where(sql`error_code is not null and prompt is null`),
  ],
)

/**
 * Failed items of a project that share an error code and the head of their prompt. Triggers on `triage` maintain the
 * rows and delete a cluster with its last item. Triage rows are of a run of the project, so no foreign key checks each.
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
