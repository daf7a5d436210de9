// Tables of which item replays which, and of recoveries of many items at once.

import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgEnum, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { runs } from '../../items/tables/runs.ts'
import type { StartedBy } from '../../items/vocabulary.ts'
import { at, createdAt, id, micro, projectOfRun } from '../../kernel/column-types.ts'
import { triageAction } from '../../triage/tables/triage.ts'
import type { RECORDED_LANES } from '../../triage/vocabulary.ts'
import type { MadeSteps } from '../rules/makers.ts'
import { DEPLOYMENT_CHOICES, type FILTER_STATUSES, RECOVERY_STATUSES, REUSE_CHOICES } from '../vocabulary.ts'

export const deploymentChoice = pgEnum('deployment_choice', DEPLOYMENT_CHOICES)
export const reuseChoice = pgEnum('reuse_choice', REUSE_CHOICES)
export const recoveryStatus = pgEnum('recovery_status', RECOVERY_STATUSES)

/** Which item replays which, to find the replays of an original; `items.replayed_from` serves the other direction. */
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
    /** Numbers of the original's steps that are reused for calls with the same input; null means none. */
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

/** Which items a recovery acts on; an absent key filters nothing. */
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
  /** Of one run: its cancelled items instead of those in triage, or all of both that did not end well. */
  status?: (typeof FILTER_STATUSES)[number] | undefined
}

/** Recoveries, each an action on a whole cohort: a replay, with a pilot if ordered, or a decision. */
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
    /** Items that were eligible when the recovery was created. */
    eligible: integer('eligible').notNull(),
    /** How many items the pilot replays first; null replays all at once. */
    first: integer('first'),
    status: recoveryStatus('status').notNull().default('creating'),
    deployment: deploymentChoice('deployment').notNull().default('current'),
    reuse: reuseChoice('reuse').notNull().default('auto'),
    /** A step that runs again with all steps after it; items without this step follow `reuse`. */
    from_step: text('from_step'),
    /** The budget of all its runs together; a recovery with a budget has one run for the pilot and one for the rest. */
    budget_micro: micro('budget_micro'),
    /** One run per agent; with original deployments, one per agent and deployment. */
    pilot_run_ids: uuid('pilot_run_ids').array().notNull().default([]),
    /** Whether the pilot did better than before; null until it has ended. */
    pilot_better: boolean('pilot_better'),
    run_ids: uuid('run_ids').array().notNull().default([]),
    /** How many steps its copies took over, by what had made them. */
    reused: jsonb('reused').$type<MadeSteps[]>().notNull().default([]),
    /** Items decided about, if the action is not a replay. */
    decided: integer('decided').notNull().default(0),
    /** The last item that the decision has passed, in the order of run ids and `seq`. */
    reached_run_id: uuid('reached_run_id'),
    reached_seq: integer('reached_seq'),
    /** Who started it; null where no caller did. */
    created_by: jsonb('created_by').$type<StartedBy>(),
    created_at: createdAt(),
    finished_at: at('finished_at'),
  },
  t => [
    index('recoveries_project').on(t.project_id, t.id),
    index('recoveries_open').on(t.id).where(sql`finished_at is null`),
    ofProject(t),
  ],
)
