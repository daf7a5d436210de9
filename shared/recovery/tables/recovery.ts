// Which items replay which, and recoveries of many at once.

import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgEnum, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { runs } from '../../items/tables/runs.ts'
import { at, createdAt, id, micro, projectOfRun } from '../../kernel/column-types.ts'
import { triageAction } from '../../triage/tables/triage.ts'
import type { RECORDED_LANES } from '../../triage/vocabulary.ts'
import { DEPLOYMENT_CHOICES, RECOVERY_STATUSES, REUSE_CHOICES } from '../vocabulary.ts'

export const deploymentChoice = pgEnum('deployment_choice', DEPLOYMENT_CHOICES)
export const reuseChoice = pgEnum('reuse_choice', REUSE_CHOICES)
export const recoveryStatus = pgEnum('recovery_status', RECOVERY_STATUSES)

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
