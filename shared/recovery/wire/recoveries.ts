// The response shape of a recovery and its progress. Guarantee: in each stage, the counts of items that worked, still
// fail and are unchanged are of the same items.

import { authorName } from '../../items/rules/started-by.ts'
import type { runs } from '../../items/tables/runs.ts'
import { count, id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { counted } from '../../prices/rules/amounts.ts'
import { centsOf, usdOf } from '../../prices/rules/pricing.ts'
import { type NamedSteps, warningsOf } from '../rules/makers.ts'
import type { RecoveryFilter, recoveries } from '../tables/recovery.ts'
import { RECOVERY_STATUSES, REUSE_CHOICES } from '../vocabulary.ts'
import { action, CohortFilter, deployment } from './cohort.ts'
import { recoveryWarnings } from './recovery.ts'

export type RecoveryRunRow = typeof runs.$inferSelect
export type RecoveryRow = typeof recoveries.$inferSelect & { runs: RecoveryRunRow[] }

const Stage = z
  .object({
    stage: z
      .enum(['first', 'rest', 'all'])
      .describe('first: those that go before the others. rest: the others.'),
    run_ids: z.array(id('A run.')).describe('Its runs.'),
    items: count('Items copied.'),
    ended: count('Of those, how many have ended.'),
    worked: count('Of those, how many worked.'),
    still_fail: count('Of those, how many are degraded or failed.'),
    unchanged: count('Of those, how many ended like their original without asking anything again.'),
    waiting: z.boolean().describe('It has not started: it waits for the stage before it.'),
  })
  .openapi('RecoveryStage')

export const Recovery = z
  .object({
    id: id('What {recoveryId} in paths stands for.'),
    project_id: id('The project.'),
    name: z.string().nullable(),
    action,
    filter: CohortFilter,
    first: z.int().nullable().describe('How many go first; null is all at once.'),
    status: z
      .enum(RECOVERY_STATUSES)
      .describe(
        'creating: items are being copied. pilot: the first ones run. running: all run, or are being decided about. stopped: the first ones did no better than before.',
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
    stages: z
      .array(Stage)
      .describe('Of a replay, in order: the first ones, where some go first, and the rest.'),
    eligible: count('Items that were for its action when it was started.'),
    left: count(
      'Items that it has not acted on: of one that was stopped or aborted, those that it left in triage.',
    ),
    decided: count('Items dismissed, acknowledged or resumed so far; what follows is of replays.'),
    replayed: count('Items copied so far.'),
    ended: count('Of those, how many have ended.'),
    ok: count('Of those, how many worked.'),
    degraded: count('Of those, how many are degraded.'),
    failed: count('Of those, how many failed.'),
    unchanged: count('Of those, how many ended like their original without asking anything again.'),
    cancelled: count('Of those, how many were cancelled.'),
    paused: count('Of those, how many are held.'),
    cost_usd: z
      .number()
      .describe('What it has cost so far; a lower bound while unpriced_item_count is not 0.'),
    unpriced_item_count: count('Items copied that called a model without a known price.'),
    warnings: recoveryWarnings.optional(),
    created_at: timestamp,
    created_by: z
      .string()
      .nullable()
      .describe('Who started it: the e-mail of a member, or `key` and the name of a key.'),
    finished_at: timestamp.nullable(),
  })
  .openapi('Recovery', { description: 'A cohort that is acted on.' })

/** `makers`: what made the steps that it took over; left out in lists. */
export function recoveryOf(row: RecoveryRow, makers?: readonly NamedSteps[]): z.input<typeof Recovery> {
  const sum = (of: (run: RecoveryRunRow) => number) => row.runs.reduce((all, run) => all + of(run), 0)
  const failed = (run: RecoveryRunRow) => run.failed + run.budget_exceeded
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    action: row.action,
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
    stages: stagesOf(row),
    eligible: row.eligible,
    left: Math.max(0, row.eligible - row.decided - sum(run => run.total_items - run.cancelled)),
    decided: row.decided,
    replayed: sum(run => run.total_items),
    ended: sum(run => run.ok + run.degraded + failed(run) + run.cancelled),
    ok: sum(run => run.ok),
    degraded: sum(run => run.degraded),
    failed: sum(failed),
    unchanged: sum(run => run.unchanged),
    cancelled: sum(run => run.cancelled),
    paused: sum(run => run.paused),
    cost_usd: usdOf(sum(run => run.cost_micro)),
    unpriced_item_count: sum(run => run.unpriced_items),
    ...(makers !== undefined && { warnings: [...warningsOf(makers, row.action), ...noneWorked(row)] }),
    created_at: row.created_at.toISOString(),
    created_by: row.created_by && authorName(row.created_by),
    finished_at: row.finished_at === null ? null : row.finished_at.toISOString(),
  }
}

function noneWorked({ runs, finished_at }: RecoveryRow): z.input<typeof recoveryWarnings> {
  const items = runs.reduce((all, run) => all + run.total_items - run.cancelled, 0)
  if (finished_at === null || items === 0 || runs.some(run => run.ok > 0)) return []
  const newest = runs.at(-1)!.id
  const message = `none of its ${counted(items, 'item')} worked; why is in its runs: assay causes --run ${newest}`
  return [{ code: 'none_worked', message, steps: 0 }]
}

function stagesOf(row: RecoveryRow): z.input<typeof Stage>[] {
  if (row.action !== 'replay') return []
  const runOf = new Map(row.runs.map(run => [run.id, run]))
  const stage = (name: 'first' | 'rest' | 'all', run_ids: string[]) => {
    const runs = run_ids.flatMap(run_id => runOf.get(run_id) ?? [])
    const sum = (of: (run: RecoveryRunRow) => number) => runs.reduce((all, run) => all + of(run), 0)
    const still_fail = sum(run => run.degraded + run.failed + run.budget_exceeded)
    return {
      stage: name,
      run_ids,
      items: sum(run => run.total_items),
      ended: sum(run => run.ok + run.cancelled) + still_fail,
      worked: sum(run => run.ok),
      still_fail,
      unchanged: sum(run => run.unchanged),
      waiting: name === 'rest' && row.pilot_better !== true,
    }
  }
  if (row.first === null) return [stage('all', row.run_ids)]
  return [stage('first', row.pilot_run_ids), stage('rest', row.run_ids)]
}
