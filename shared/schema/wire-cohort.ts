// The shapes of cohort recoveries: what a caller orders, what it would replay, and how far one is.

import { z } from '@hono/zod-openapi'
import { LIMITS } from '../domain/limits.ts'
import { usdOf } from '../domain/pricing.ts'
import { RECOVERY_STATUSES } from '../domain/vocabulary.ts'
import { instant, label, partitionKey, uuid } from './input.ts'
import type { RecoveryFilter, recoveries, runs } from './tables.ts'
import { timestamp } from './wire.ts'
import { clusterKey, triageReason } from './wire-recovery.ts'

const count = (description: string) => z.int().min(0).describe(description)
const id = (description: string) => z.string().meta({ format: 'uuid', description })

export type RecoveryRunRow = typeof runs.$inferSelect
export type RecoveryRow = typeof recoveries.$inferSelect & { runs: RecoveryRunRow[] }

const filterFields = {
  run_id: uuid('Only items of this run.').optional(),
  agent_id: uuid('Only items of this agent.').optional(),
  cluster_key: clusterKey.optional(),
  reason: triageReason.optional(),
  partition_key: partitionKey.optional(),
  from: instant('Only items that came into triage at or after this time.').optional(),
  to: instant('Only items that came into triage before this time.').optional(),
}

export const CohortFilter = z.strictObject(filterFields).openapi('RecoveryFilter', {
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
            .enum(['held', 'acknowledged', 'dismissed', 'replayed', 'resumed', 'purged'])
            .describe(
              'held: it waits to be resumed. purged: its input is kept no longer. Otherwise what was decided about it.',
            ),
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
