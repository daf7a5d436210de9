// The shapes of cohort recoveries: the order, and the plan of what it would act on.

import { reusedVersions } from '../../items/wire/code-versions.ts'
import { count, id } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { budgetCents, instant, label, partitionKey, uuid } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { usdOf } from '../../prices/rules/pricing.ts'
import { RECORDED_LANES, TRIAGE_ACTIONS, type TriageAction } from '../../triage/vocabulary.ts'
import { causeId } from '../../triage/wire/causes.ts'
import { clusterKey, triageReason } from '../../triage/wire/triage.ts'
import type { RuleForecast, ToolForecast } from '../rules/forecast.ts'
import { type NamedSteps, reusedVersionOf, warningsOf } from '../rules/makers.ts'
import { REUSE_RULES } from '../rules/reuse.ts'
import type { RecoveryFilter } from '../tables/recovery.ts'
import { DEPLOYMENT_CHOICES, EXCLUSIONS, FILTER_STATUSES } from '../vocabulary.ts'
import { ONE_OF_REUSE, oneOfReuse, recoveryWarnings, reuseFields } from './recovery.ts'

/** A plan before it is mapped to its response shape. */
interface PlanSource {
  action: TriageAction
  filter: RecoveryFilter
  eligible: number
  held: number
  ineligible: { reason: (typeof EXCLUSIONS)[number]; count: number }[]
  replay_run_ids: string[]
  agent_ids: string[]
  runs: number
  forecast: {
    items: number
    rules: RuleForecast[]
    tool_calls: ToolForecast[]
    max_cost_micro: number
    cost_micro: number
    unpriced_items: number
  } | null
  /** What made the steps that are taken over. */
  makers: NamedSteps[]
}

const filterFields = {
  run_id: uuid('Only items of this run.').optional(),
  kind: z.enum(RECORDED_LANES).optional().describe('Only items of this lane.'),
  agent_id: uuid('Only items of this agent.').optional(),
  cluster_key: clusterKey.optional(),
  cause_id: causeId.optional(),
  reason: triageReason.optional(),
  partition_key: partitionKey.optional(),
  from: instant('Only items that came into triage at or after this time.').optional(),
  to: instant('Only items that came into triage before this time.').optional(),
  status: z
    .enum(FILTER_STATUSES)
    .optional()
    .describe(
      'cancelled: instead of items in triage those that were cancelled: what is left of the run named by run_id, which must have ended. not_ok: all of that run that did not end well, so items in triage, those that were cancelled and, if it was stopped, those that are held: these end as cancelled. Goes with run_id, agent_id and partition_key only.',
    ),
}

const ONLY_IN_TRIAGE = ['kind', 'cluster_key', 'cause_id', 'reason', 'from', 'to'] as const
/** A plan closes its filter at a moment, which bounds what it takes of triage. */
const CLOSES = 'to'

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
      if (filter[key] !== undefined && !(filter.status === 'not_ok' && key === CLOSES))
        ctx.addIssue({
          code: 'custom',
          path: [key],
          message: 'does not go with "status": cancelled items are in no triage',
        })
  })
  .openapi('RecoveryFilter', {
    description: 'Which items are acted on; all in triage of the project without a filter.',
    example: { reason: 'step_error', from: '2026-01-31T09:00:00Z' },
  })

export const deployment = z
  .enum(DEPLOYMENT_CHOICES)
  .describe('The deployment that runs: by default the current one, or the one each item ran with.')

export const action = z
  .enum(TRIAGE_ACTIONS)
  .describe(
    'What is done with the items, as with one of them: replay, or dismiss, acknowledge, resume. replay by default.',
  )

/** Fields that only a replay accepts. */
const OF_REPLAYS = ['first', 'reuse', 'from_step', 'deployment', 'budget_cents'] as const

export const RecoveryOrder = z
  .strictObject({
    project_id: uuid("The project; a project key's own when absent.").optional(),
    name: label(LIMITS.name_characters, 'For people.').optional(),
    action: action.optional(),
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
    dry_run: z.boolean().describe('Count what would be acted on, and change nothing.').optional(),
  })
  .refine(oneOfReuse, ONE_OF_REUSE)
  .superRefine((order, ctx) => {
    const { action = 'replay', filter } = order
    if (action === 'replay') return
    const message = `is for replays, and does not go with "action": "${action}"`
    for (const key of OF_REPLAYS)
      if (order[key] !== undefined) ctx.addIssue({ code: 'custom', path: [key], message })
    if (filter.status !== undefined) ctx.addIssue({ code: 'custom', path: ['filter', 'status'], message })
  })
  .openapi('RecoveryOrder', { description: 'A cohort to be acted on.' })

export const CohortPlan = z
  .object({
    action,
    filter: CohortFilter.describe(
      'The filter, closed at the moment of this plan: an order with it leaves out what came into triage since.',
    ),
    eligible: count('Items that would be acted on.'),
    held: count('Of those, how many are held: one that is dismissed ends as cancelled, for good.'),
    ineligible: z
      .array(
        z.object({
          reason: z
            .enum(EXCLUSIONS)
            .describe(
              'held: it waits to be resumed. not_held: it does not. purged: its input is kept no longer. run_ended: its run was stopped or has ended. Otherwise what was decided about it.',
            ),
          count: count('Items.'),
        }),
      )
      .describe('Items that pass the filter and would not be acted on, by why not.'),
    replay_run_ids: z
      .array(id('A run.'))
      .max(LIMITS.replay_runs_named)
      .describe('The newest runs that replay items which pass the filter and were replayed already.'),
    agent_ids: z.array(id('An agent.')).describe('Agents with eligible items.'),
    runs: count(
      'Runs that a replay would take: one for each agent, and with original deployments for each of those.',
    ),
    cost_usd: z
      .number()
      .describe(
        'What the items cost that would be replayed, all of them together. This and what follows is of replays alone.',
      ),
    max_cost_usd: z
      .number()
      .nullable()
      .describe(
        'About what replaying them costs at most: the steps that are asked again, and those that may follow, at what they cost before; where an item never came to its end, what items of the same runs cost that worked. Null where nothing has cost anything yet.',
      ),
    unpriced_item_count: count(
      'Of them, items that called a model without a known price: both sums are lower bounds.',
    ),
    looked_at_items: count(
      `Items whose steps were looked at, at most ${LIMITS.recovery_plan_items}: what follows is about those.`,
    ),
    rules: z
      .array(
        z.object({
          rule: z
            .enum(REUSE_RULES)
            .describe(
              'asks_again: the answer that was at fault is asked for again. goes_on: what succeeded is taken over. from_step, from_start: as ordered.',
            ),
          reason: z.string().describe('Why the items did not work, as a token.'),
          items: count('Items.'),
          asked_again_steps: count('Steps of them that run again.'),
          reused_steps: count('Steps that are taken over.'),
          offered_steps: count('Steps that are taken over where they are called with the same input.'),
        }),
      )
      .describe('What becomes of the steps, the most frequent first.'),
    tool_calls: z
      .array(
        z.object({
          name: z.string().describe('The tool.'),
          again: count('Calls that are made again.'),
          if_changed: count('Calls that are made again where their input differs.'),
        }),
      )
      .describe('Tools that may be called again.'),
    reused_versions: reusedVersions.describe(
      'What made the steps that are taken over, by a replay or a resume.',
    ),
    warnings: recoveryWarnings,
  })
  .openapi('RecoveryPlan', { description: 'What a recovery would act on.' })

/** The forecast of a plan that replays nothing. */
const NO_FORECAST: NonNullable<PlanSource['forecast']> = {
  items: 0,
  rules: [],
  tool_calls: [],
  max_cost_micro: 0,
  cost_micro: 0,
  unpriced_items: 0,
}

export function cohortPlanOf({ forecast, makers, ...plan }: PlanSource): z.input<typeof CohortPlan> {
  const { cost_micro, max_cost_micro, unpriced_items, items, rules, tool_calls } = forecast ?? NO_FORECAST
  return {
    ...plan,
    cost_usd: usdOf(cost_micro),
    max_cost_usd: max_cost_micro === 0 && cost_micro === 0 ? null : usdOf(max_cost_micro),
    unpriced_item_count: unpriced_items,
    looked_at_items: items,
    rules: rules.map(({ rule, reason, items, asked_again, reused, offered }) => ({
      rule,
      reason,
      items,
      asked_again_steps: asked_again,
      reused_steps: reused,
      offered_steps: offered,
    })),
    tool_calls,
    reused_versions: makers.map(reusedVersionOf),
    warnings: warningsOf(makers, plan.action),
  }
}
