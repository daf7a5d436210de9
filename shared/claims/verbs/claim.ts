// Claims items of a run for one consumer. Guarantee: an item has one holder at a time, and none is claimed beyond the
// caps of run, agent, project and partition or past a fence whose money is gone.

import { openEnv } from '../../accounts/verbs/sealing.ts'
import type { AgentTarget } from '../../agents/rules/invoke-agent.ts'
import { isDistributed } from '../../cluster/queries/distributed.ts'
import type { Context, Sql } from '../../context.ts'
import { stopSpent } from '../../items/queries/stop.ts'
import { fault } from '../../kernel/fault.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { DEFAULT_ZONE } from '../../prices/rules/budgets.ts'
import { type PriceBook, pricesAt } from '../../prices/rules/price-book.ts'
import { microOf } from '../../prices/rules/pricing.ts'
import { periodEnd } from '../../prices/rules/spend-days.ts'
import {
  type Refill,
  type ClaimedItem as TakenItem,
  type Taking,
  takeDue,
  takeFair,
  takeRange,
} from '../queries/claim.ts'
import { touchRun } from '../queries/open-runs.ts'
import * as facts from '../queries/run-facts.ts'
import { type Admission, type AdmissionFacts, admit, isSpent, roomUnderCaps } from '../rules/admission.ts'
import type { Late } from '../rules/consumer-time.ts'
import { type ClaimedItem, withRecordedSteps } from './recorded-steps.ts'

/** Items of one run under one lease, with all that is needed to execute them. */
export interface Claim {
  id: number
  run_id: string
  project_id: string
  target: AgentTarget
  timeout_ms: number
  max_consecutive_failures: number
  prices: PriceBook
  /** A budget applies and unpriced calls are not allowed, so an item is held at a call without a price. */
  holds_unpriced: boolean
  /** Why its items are not tried any more; null if they are. */
  unavailable: string | null
  /** How long the run had waited for this claim. */
  waited_ms: number
  items: ClaimedItem[]
  /** How flushes take the run's next items; null if each claim has to read the run first. */
  follow_up: FollowUp | null
}

/**
 * Makes claims of items that flushes took, with the facts that an earlier claim has read of the run. A refill needs the
 * consent of the claim (at its cap, and `mayRefill`), of the consumer (facts younger than LIMITS.refill_ms, no other run
 * known: consumer/verbs) and of the statement (no other open run of the project, nothing due: `refillFrom`).
 */
export interface FollowUp {
  /** When these facts were read, by the process's clock: they count for LIMITS.refill_ms. */
  read_ms: number
  deployment_id: string
  /** What a flush may take that frees so many places. */
  refill(freed: number): Refill
  claim(taken: readonly TakenItem[]): Promise<Claim>
}

export interface ClaimAnswer {
  claim: Claim | null
  waiting_for: Admission['waiting_for']
}

/**
 * Claims up to `most` items of a run; no claim if there is nothing to take or no room. A `late` consumer leaves items
 * that were cut off at the end of another consumer's time, and items known to take longer than it has left.
 */
export async function claimItems(ctx: Context, key: RunKey, most: number, late?: Late): Promise<ClaimAnswer> {
  const run = await facts.readRun(ctx.sql, key, late)
  if (!run) return { claim: null, waiting_for: null }
  const given = admissionFacts(run)
  const { room, waiting_for } = admit(given)
  if (waiting_for === 'budget' && isSpent(run.budget_micro, run.cost_micro)) {
    if (await stopSpent(ctx.sql, { project_id: run.project_id, run_id: run.id }))
      return { claim: null, waiting_for: 'stopped' }
  }
  const { deployment } = run
  if (room === 0 || run.waits_for_fresh || !deployment) {
    await touchRun(ctx.sql, key)
    return { claim: null, waiting_for }
  }
  // Before items are taken: if the environment cannot be opened, nothing must be claimed in vain.
  const env = await openEnv(ctx, run.project_id, deployment)
  await fault('claim.before_commit')
  const items = await take(ctx.sql, run, deployment, Math.min(most, itemsInMemory(run)), late === undefined)
  await fault('claim.after_commit')
  if (items.length === 0) {
    // Due items that their partitions' caps hold back stay due until items of those end: other runs come first.
    if (run.due > 0) await touchRun(ctx.sql, key)
    return { claim: null, waiting_for }
  }
  const claim = claimOf(ctx, toClaim(run), deployment, env, await withRecordedSteps(ctx, run, items))
  // A cap is reached: the run's next items wait for the places of these. Below it claims run ahead of the flushes, and what
  // money leaves changes with each of them.
  const isAtCap = items.length >= room && room < LIMITS.claim_items && room === roomUnderCaps(given)
  const follow_up =
    isAtCap && (await mayRefill(ctx.sql, run, late)) ? followUpOf(ctx, run, deployment, env) : null
  return { claim: { ...claim, follow_up }, waiting_for: null }
}

/**
 * Partitions with a cap and budgets by day or month need facts that a flush does not read. Citus calls no function that
 * writes from a statement of several parts.
 */
const mayRefill = async (sql: Sql, { settings, budgets }: facts.ReadRun, late: Late | undefined) =>
  late === undefined &&
  settings.partition_concurrency === undefined &&
  budgets.length === 0 &&
  !(await isDistributed(sql))

function followUpOf(
  ctx: Context,
  run: facts.ReadRun,
  deployment: facts.RunDeployment,
  env: Record<string, string>,
): FollowUp {
  const { id: run_id, project_id } = run
  const most = Math.min(LIMITS.claim_items, itemsInMemory(run))
  const order = { run_id, project_id, deployment_id: deployment.id, lease_ms: LIMITS.lease_ms }
  const follow_up: FollowUp = {
    read_ms: ctx.now(),
    deployment_id: deployment.id,
    refill: freed => ({ ...order, most: Math.min(freed, most) }),
    async claim(taken) {
      const items = await withRecordedSteps(ctx, run, taken)
      return { ...claimOf(ctx, { ...toClaim(run), waited_ms: 0 }, deployment, env, items), follow_up }
    },
  }
  return follow_up
}

/** The facts about a run that a claim is made of. */
type ClaimedRun = Pick<
  facts.ReadRun,
  | 'id'
  | 'project_id'
  | 'account_id'
  | 'agent_id'
  | 'timeout_seconds'
  | 'allow_unpriced'
  | 'prices'
  | 'waited_ms'
  | 'unavailable'
> & { under_budget: boolean }

export const toClaim = (run: facts.ReadRun): ClaimedRun => ({ ...run, under_budget: isUnderBudget(run) })

/** Makes a claim: all that is needed to send items of a run and to read what their agent answers. */
export function claimOf(
  ctx: Context,
  run: ClaimedRun,
  deployment: facts.RunDeployment,
  env: Record<string, string>,
  items: ClaimedItem[],
): Claim {
  const { declaration } = deployment
  return {
    id: items[0]!.claim_id,
    run_id: run.id,
    project_id: run.project_id,
    target: {
      account_id: run.account_id,
      agent_id: run.agent_id,
      deployment_id: deployment.id,
      kind: deployment.kind,
      protocol: deployment.protocol,
      url: deployment.url,
      bundle_hash: deployment.bundle_hash,
      declaration,
      env,
      together: null,
    },
    timeout_ms:
      1000 * (run.timeout_seconds ?? declaration.timeout_seconds ?? LIMITS.agent_timeout_seconds.default),
    max_consecutive_failures: Math.min(
      declaration.max_consecutive_failures ?? LIMITS.consecutive_failures,
      LIMITS.items_per_run, // older declarations have no bound
    ),
    prices: pricesAt(run.prices, ctx.now()),
    holds_unpriced: run.under_budget && !run.allow_unpriced,
    unavailable: run.unavailable,
    waited_ms: run.waited_ms,
    items,
    follow_up: null,
  }
}

/** How many items of the run's average size fit in LIMITS.claim_bytes, which bounds the memory of a claim. */
function itemsInMemory({ input_bytes, total_items }: facts.ReadRun): number {
  return Math.max(1, Math.floor((LIMITS.claim_bytes * total_items) / Math.max(1, input_bytes)))
}

/** Takes items; fewer or none if others took them, or the room for them, since the run was read. */
async function take(
  sql: Sql,
  run: facts.ReadRun,
  deployment: facts.RunDeployment,
  most: number,
  fresh: boolean,
) {
  const taking: Taking = {
    run_id: run.id,
    project_id: run.project_id,
    deployment_id: deployment.id,
    lease_ms: LIMITS.lease_ms,
    most: Math.min(most, LIMITS.claim_items),
    kept_places: run.kept_places,
    kept_of_run: run.kept_of_run,
    fresh,
  }
  const per_partition = run.settings.partition_concurrency
  const shares =
    per_partition === undefined ? undefined : { per_partition, lookahead: LIMITS.partition_lookahead_items }
  // Returned items first: they have waited longest, and some of them were paid for in part.
  const due = run.due > 0 ? await takeDue(sql, taking, shares) : []
  if (due.length > 0 || run.next_seq > run.offered_items) return due
  return shares ? takeFair(sql, taking, shares) : takeRange(sql, taking)
}

/** The facts that decide admission. A reserved place counts as taken. */
export function admissionFacts(run: facts.ReadRun): AdmissionFacts {
  const declaration = run.deployment?.declaration
  const itemBudget = declaration?.item_budget_cents
  return {
    stop_reason: run.stop_reason,
    is_suspended: run.is_suspended,
    is_held: run.is_held,
    has_deployment: run.deployment !== null,
    run_concurrency: run.concurrency,
    agent_concurrency: declaration?.concurrency ?? null,
    run_running: run.running + run.kept_of_run,
    project_concurrency: (run.settings.concurrency ?? LIMITS.project_concurrency) - run.kept_places,
    project_running: run.project_running,
    budget_micro: run.budget_micro,
    cost_micro: run.cost_micro,
    ended: run.ended,
    pilot_left: run.pilot_left,
    item_budget_micro: itemBudget === undefined ? null : microOf(itemBudget),
    credit_micro: run.credit_micro,
    spent_micro: run.spent_micro,
    periods: run.budgets.map(budget => periodFacts(run, budget)),
    waits_for_price: run.waits_for_price ? (run.unpriced_model ?? '') : null,
  }
}

function periodFacts({ spend_day, settings }: facts.ReadRun, budget: facts.ReadRun['budgets'][number]) {
  const timezone = settings.timezone ?? DEFAULT_ZONE
  return { ...budget, timezone, ends_at: periodEnd(spend_day!, budget.period, timezone) }
}

/** Whether a budget applies: the run's own, per item, or by day or month. */
const isUnderBudget = ({ budget_micro, budgets, deployment }: facts.ReadRun): boolean =>
  budget_micro !== null || budgets.length > 0 || deployment?.declaration.item_budget_cents !== undefined
