// The shapes of cohort recoveries: what a caller orders, what it would replay, and how far one is.

import { z } from '@hono/zod-openapi'
import { LIMITS } from '../domain/limits.ts'
import { centsOf, usdOf } from '../domain/pricing.ts'
import { DEPLOYMENT_CHOICES, EXCLUSIONS, RECOVERY_STATUSES, REUSE_CHOICES } from '../domain/vocabulary.ts'
import { causeId } from '../recovery/wire/causes.ts'
import { budgetCents, instant, label, partitionKey, uuid } from './input.ts'
import type { RecoveryFilter, recoveries, runs } from './tables.ts'
import { timestamp } from './wire.ts'
import { clusterKey, ONE_OF_REUSE, oneOfReuse, reuseFields, triageReason } from './wire-recovery.ts'

const count = (description: string) => z.int().min(0).describe(description)
const id = (description: string) => z.string().meta({ format: 'uuid', description })

export type RecoveryRunRow = typeof runs.$inferSelect
export type RecoveryRow = typeof recoveries.$inferSelect & { runs: RecoveryRunRow[] }

const filterFields = {
  run_id: uuid('Only items of this run.').optional(),
  agent_id: uuid('Only items of this agent.').optional(),
  cluster_key: clusterKey.optional(),
  cause_id: causeId.optional(),
  reason: triageReason.optional(),
  partition_key: partitionKey.optional(),
  from: instant('Only items that came into triage at or after this time.').optional(),
  to: instant('Only items that came into triage before this time.').optional(),
  status: z
    .literal('cancelled')
    .optional()
    .describe(
      'Instead of items in triage those that were cancelled: what is left of the run named by run_id, which must have ended. Goes with run_id, agent_id and partition_key only.',
    ),
}

const ONLY_IN_TRIAGE = ['cluster_key', 'cause_id', 'reason', 'from', 'to'] as const

export const CohortFilter = z
  .strictObject(filterFields)
  .superRefine((filter, ctx) => {
    if (filter.status === undefined) return
    if (filter.run_id === undefined)
      ctx.addIssue({
        code: 'custom',
        path: ['run_id'],
        message: 'is missing: cancelled items are found by their run',
      })
    for (const key of ONLY_IN_TRIAGE)
      if (filter[key] !== undefined)
        ctx.addIssue({
          code: 'custom',
          path: [key],
          message: 'does not go with "status": cancelled items are in no triage',
        })
  })
  .openapi('RecoveryFilter', {
    description: 'Which items are replayed; all in triage of the project without a filter.',
    example: { reason: 'step_error', from: '2026-01-31T09:00:00Z' },
  })

const deployment = z
  .enum(DEPLOYMENT_CHOICES)
  .describe('The deployment that runs: the current one unless told, or the one each item ran with.')

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
    ...reuseFields,
    deployment: deployment.optional(),
    budget_cents: budgetCents
      .describe('What the recovery may cost, the first ones included. Only for a cohort that takes one run.')
      .optional(),
    dry_run: z.boolean().describe('Count what would be replayed, and change nothing.').optional(),
  })
  .refine(oneOfReuse, ONE_OF_REUSE)
  .openapi('RecoveryOrder', { description: 'A cohort to be replayed.' })

export const CohortPlan = z
  .object({
    eligible: count('Items that would be replayed.'),
    ineligible: z
      .array(
        z.object({
          reason: z
            .enum(EXCLUSIONS)
            .describe(
              'held: it waits to be resumed. purged: its input is kept no longer. Otherwise what was decided about it.',
            ),
          count: count('Items.'),
        }),
      )
      .describe('Items that pass the filter and would not be replayed, by why not.'),
    agent_ids: z.array(id('An agent.')).describe('Agents with eligible items.'),
    runs: count('Runs it would take: one for each agent, and with original deployments for each of those.'),
  })
  .openapi('RecoveryPlan', { description: 'What a recovery would replay.' })

export const Recovery = z
  .object({
    id: id('What {recoveryId} in paths stands for.'),
    project_id: id('The project.'),
    name: z.string().nullable(),
    filter: CohortFilter,
    first: z.int().nullable().describe('How many go first; null is all at once.'),
    status: z
      .enum(RECOVERY_STATUSES)
      .describe(
        'creating: items are being copied. pilot: the first ones run. running: all run. stopped: the first ones did no better than before.',
      ),
    reuse: z.enum(REUSE_CHOICES).describe('Which recorded steps are taken over.'),
    from_step: z
      .string()
      .nullable()
      .describe('The step that runs again with what follows it; items without it go by reuse.'),
    deployment,
    budget_cents: z.number().nullable().describe('What it may cost; null is no bound.'),
    pilot_run_ids: z.array(id('A run.')).describe('Runs of the first items, one for each agent.'),
    pilot_better: z
      .boolean()
      .nullable()
      .describe('Whether they did better than before; null until it is known.'),
    run_ids: z.array(id('A run.')).describe('Runs of all others, one for each agent.'),
    eligible: count('Items that could be replayed when it was started.'),
    replayed: count('Items copied so far.'),
    ended: count('Of those, how many have ended.'),
    ok: count('Of those, how many worked.'),
    degraded: count('Of those, how many are degraded.'),
    failed: count('Of those, how many failed.'),
    unchanged: count('Of those, how many ended like their original without asking anything again.'),
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
    name: row.name,
    filter: row.filter satisfies RecoveryFilter,
    first: row.first,
    status: row.status,
    reuse: row.reuse,
    from_step: row.from_step,
    deployment: row.deployment,
    budget_cents: row.budget_micro === null ? null : centsOf(row.budget_micro),
    pilot_run_ids: row.pilot_run_ids,
    pilot_better: row.pilot_better,
    run_ids: row.run_ids,
    eligible: row.eligible,
    replayed: sum(run => run.total_items),
    ended: sum(run => run.ok + run.degraded + failed(run) + run.cancelled),
    ok: sum(run => run.ok),
    degraded: sum(run => run.degraded),
    failed: sum(failed),
    unchanged: sum(run => run.unchanged),
    cancelled: sum(run => run.cancelled),
    paused: sum(run => run.paused),
    cost_usd: usdOf(sum(run => run.cost_micro)),
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at === null ? null : row.finished_at.toISOString(),
  }
}
