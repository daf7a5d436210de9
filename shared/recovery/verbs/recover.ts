// Acts on a whole cohort: replays it, with a pilot if ordered, or decides about it. Guarantee: each step is one
// transaction under the lock of the recovery's row and is chosen by what is stored. So a crash anywhere costs time and
// nothing else, and a recovery acts on no item twice.

import { writeFor } from '../../accounts/queries/callers.ts'
import type { Context, Sql } from '../../context.ts'
import { stopCancelled } from '../../items/queries/stop.ts'
import { authorName } from '../../items/rules/started-by.ts'
import type { StartedBy } from '../../items/vocabulary.ts'
import { errorText } from '../../kernel/error-text.ts'
import { ApiError } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { deliverSoon } from '../../outbox/verbs/deliver.ts'
import { microOf } from '../../prices/rules/pricing.ts'
import { admitRuns } from '../../submission/verbs/admit.ts'
import { findCauseTitle } from '../../triage/queries/causes.ts'
import { endWaiting } from '../../triage/queries/decisions.ts'
import type { TriageAction } from '../../triage/vocabulary.ts'
import { closedNow } from '../queries/cohort.ts'
import { findOpenRecoveries } from '../queries/open-recoveries.ts'
import * as store from '../queries/recoveries.ts'
import {
  findCurrentDeployment,
  findOriginalRun,
  insertReplayRun,
  lockRuns,
  type OriginalRun,
  openReplayRun,
} from '../queries/replay.ts'
import { addMade, type NamedSteps } from '../rules/makers.ts'
import { isBetter, type PilotResult } from '../rules/recovery.ts'
import type { RecoveryFilter } from '../tables/recovery.ts'
import type { DeploymentChoice, Exclusion, ReuseChoice } from '../vocabulary.ts'
import { copyWithSteps, withinSteps } from './copy.ts'
import { decideNext } from './decide.ts'
import {
  type CostedForecast,
  forecast,
  makersOfHeld,
  nothingToRecover,
  refuseUnknownReason,
  replayRunsOf,
} from './plan.ts'

/** Which items, and what to do with them: the part that a plan and an order share. */
export interface CohortOrder {
  project_id: string
  action: TriageAction
  filter: RecoveryFilter
  deployment: DeploymentChoice
  reuse: ReuseChoice
  from_step: string | null
}

export interface RecoveryOrder extends CohortOrder {
  name: string | null
  first: number | null
  /** Who ordered it. */
  created_by?: StartedBy
  budget_cents: number | null
}

export interface CohortPlan {
  action: TriageAction
  /** Selects the counted items, and none that come into triage later. */
  filter: RecoveryFilter
  eligible: number
  /** How many of the eligible items are held. */
  held: number
  /** Items that pass the filter but do not accept the action, by reason. */
  ineligible: { reason: Exclusion; count: number }[]
  /** The newest runs that replay items which pass the filter and were replayed already. */
  replay_run_ids: string[]
  /** Agents with eligible items. */
  agent_ids: string[]
  /** Runs that a replay needs: one per agent; with original deployments, one per agent and deployment. */
  runs: number
  /** Null unless the action is a replay. */
  forecast: CostedForecast | null
  /** What made the steps that a replay or a resume takes over. */
  makers: NamedSteps[]
}

/**
 * What a recovery with this filter would act on, what it would leave out, and the forecast of a replay.
 *
 * @throws ApiError `invalid_request` when no item has the reason of the filter
 */
export async function planRecovery(ctx: Context, order: CohortOrder): Promise<CohortPlan> {
  const filter = await closedNow(ctx.sql, order.filter)
  const asked = { ...order, filter }
  const plan = await countPlan(ctx, asked)
  const forecasted = order.action === 'replay' ? await forecast(ctx, plan.eligible, asked) : null
  const makers = order.action === 'resume' ? await makersOfHeld(ctx, asked) : (forecasted?.makers ?? [])
  return {
    ...plan,
    filter,
    forecast: forecasted?.forecast ?? null,
    makers,
    replay_run_ids: await replayRunsOf(ctx, asked, plan.ineligible),
  }
}

type Counted = Omit<CohortPlan, 'filter' | 'forecast' | 'makers' | 'replay_run_ids'>

async function countPlan(ctx: Context, order: CohortOrder): Promise<Counted> {
  const { project_id, action, filter, deployment } = order
  const plan: Counted = {
    action,
    eligible: 0,
    held: 0,
    ineligible: [],
    agent_ids: [],
    runs: 0,
  }
  const runs = new Set<string>()
  const cohorts = await store.countCohort(ctx.sql, project_id, filter, action)
  if (cohorts.length === 0 && filter.reason !== undefined) await refuseUnknownReason(ctx, order)
  for (const { standing, held, count, ...one } of cohorts) {
    if (standing === 'eligible') {
      plan.eligible += count
      if (held) plan.held += count
      if (action === 'replay') runs.add(runKey(one, deployment))
      if (!plan.agent_ids.includes(one.agent_id)) plan.agent_ids.push(one.agent_id)
      continue
    }
    const known = plan.ineligible.find(one => one.reason === standing)
    if (known) known.count += count
    else plan.ineligible.push({ reason: standing, count })
  }
  return { ...plan, runs: runs.size }
}

/** Items with the same key go into the same run. */
const runKey = (of: { agent_id: string; deployment_id: string | null }, deployment: DeploymentChoice) =>
  deployment === 'current' ? of.agent_id : `${of.agent_id} ${of.deployment_id}`

/**
 * Starts a recovery and acts on its first items; the tick does the rest.
 *
 * @throws ApiError `nothing_to_recover`; `account_suspended`, `plan_limit`, `quota_exceeded`, `too_many_open_runs`;
 *   `invalid_request` when it needs more runs than allowed, or more than one under a budget
 */
export async function startRecovery(ctx: Context, order: RecoveryOrder): Promise<string> {
  const { budget_cents, ...rest } = order
  const { eligible, ineligible, agent_ids, runs } = await countPlan(ctx, order)
  if (eligible === 0) throw await nothingToRecover(ctx, order, ineligible)
  const id = ctx.newId()
  if (order.action !== 'replay') {
    await insert(ctx, { id, ...rest, eligible, budget_micro: null, status: 'running' })
    await advance(ctx, { project_id: order.project_id, id })
    return id
  }
  const most = budget_cents === null ? LIMITS.recovery_runs : 1
  if (runs > most)
    throw new ApiError(
      'invalid_request',
      `The items need ${runs} runs, ${budget_cents === null ? `more than ${most}` : 'and a budget is for one'}.`,
      `Narrow the filter, for example by "agent_id": ${agent_ids.slice(0, LIMITS.bad_lines_named).join(', ')}.`,
    )
  await admitRuns(ctx, order.project_id, agent_ids[0]!, runs)
  const budget_micro = budget_cents === null ? null : microOf(budget_cents)
  await insert(ctx, { id, ...rest, eligible, budget_micro, status: 'creating' })
  await advance(ctx, { project_id: order.project_id, id })
  return id
}

const insert = (ctx: Context, recovery: store.NewRecovery): Promise<void> =>
  writeFor(ctx, sql => store.insertRecovery(sql, recovery))

/** @throws ApiError `recovery_already_ended` */
export async function abortRecovery(ctx: Context, key: store.RecoveryKey): Promise<void> {
  if (!(await writeFor(ctx, sql => store.abortRecovery(sql, key))))
    throw new ApiError('recovery_already_ended', `Recovery ${key.id} has ended already.`)
  await advance(ctx, key)
}

/** Takes a bounded number of steps of each open recovery it finds; returns how many it found. */
export async function advanceRecoveries(ctx: Context): Promise<number> {
  const open = await findOpenRecoveries(ctx.sql, LIMITS.open_runs_per_look)
  for (const key of open) {
    try {
      await advance(ctx, key)
    } catch (error) {
      // A recovery that fails must not block the others; the next sweep retries it.
      ctx.log('warn', 'recovery_failed', { recovery_id: key.id, error: errorText(error) })
    }
  }
  return open.length
}

async function advance(ctx: Context, key: store.RecoveryKey): Promise<void> {
  for (let steps = 0; steps < LIMITS.recovery_chunks_per_sweep; steps++) {
    const more = await ctx.sql.begin(async tx => {
      const sql = tx as unknown as Sql
      const recovery = await store.lockRecovery(sql, key)
      if (recovery === undefined) return false
      const more =
        recovery.action === 'replay'
          ? await STEPS[recovery.status](ctx, sql, recovery)
          : await decideNext(sql, recovery)
      await fault('recovery.before_commit')
      return more
    })
    if (!more) break
  }
  deliverSoon(ctx)
  ctx.notify()
}

/** Takes one step; true when another can follow at once. */
type Step = (ctx: Context, sql: Sql, recovery: store.OpenRecovery) => Promise<boolean>

const STEPS: Record<store.OpenRecovery['status'], Step> = {
  creating: create,
  pilot: judge,
  async running(_ctx, sql, recovery) {
    const runs = await store.findReplayRuns(sql, recovery.project_id, recovery.run_ids)
    if (runs.every(run => run.finished)) await store.updateRecovery(sql, recovery, { status: 'completed' })
    return false
  },
  aborting: abort,
  completed: async () => false,
  stopped: async () => false,
  aborted: async () => false,
}

/** Copies the next chunk into the runs that are being made, or opens them when there is nothing more to copy. */
async function create(ctx: Context, sql: Sql, recovery: store.OpenRecovery): Promise<boolean> {
  const isPilot = recovery.first !== null && recovery.pilot_better === null
  const part = isPilot ? 'pilot_run_ids' : 'run_ids'
  const runs = await store.findReplayRuns(sql, recovery.project_id, recovery[part])
  const copied = runs.reduce((sum, run) => sum + run.total_items, 0)
  const room = (isPilot ? recovery.first! : LIMITS.items_per_run) - copied
  const chunk = Math.min(room, LIMITS.recovery_chunk_items)
  const next = chunk > 0 ? await store.nextOfCohort(sql, recovery, chunk) : { in_feed: true, items: [] }
  const items = await withinSteps(sql, next.items)
  if (items.length > 0) {
    await lockRuns(sql, items)
    const held = items.filter(item => item.held)
    // Nobody can resume them: their run was stopped, and ends with them.
    if (held.length > 0)
      await endWaiting(
        sql,
        held,
        { as: 'dismissed', one_by_one: false },
        recovery.created_by && authorName(recovery.created_by),
      )
    const runOf = new Map(runs.map(run => [runKey(run, recovery.deployment), run.id]))
    const { project_id, reuse, from_step } = recovery
    let { reused } = recovery
    for (const [key, keys] of Map.groupBy(items, item => runKey(item, recovery.deployment))) {
      const run_id = runOf.get(key) ?? (await newRun(ctx, sql, recovery, part, keys[0]!))
      const copy = { project_id, run_id, input: null, by: recovery.created_by, reuse, from_step }
      // Items that somebody else decided about since they were read are left out.
      for (const [held, chosen] of Map.groupBy(keys, key => key.held)) {
        const copied = await copyWithSteps(sql, { ...copy, keys: chosen, in_feed: next.in_feed && !held })
        reused = addMade(reused, copied.made)
      }
    }
    await store.updateRecovery(sql, recovery, { reused })
    return true
  }
  await store.deleteEmptyRuns(sql, recovery, part)
  for (const run of runs) await openReplayRun(sql, { project_id: recovery.project_id, run_id: run.id })
  // There may be no items left, for example because all were in the pilot.
  const status = copied === 0 ? 'completed' : isPilot ? 'pilot' : 'running'
  await store.updateRecovery(sql, recovery, { status })
  return false
}

async function newRun(
  ctx: Context,
  sql: Sql,
  recovery: store.OpenRecovery,
  part: store.Part,
  { agent_id, deployment_id, run_id }: store.CohortItem,
): Promise<string> {
  const { project_id, deployment, budget_micro, pilot_run_ids, filter } = recovery
  const id = ctx.newRunId()
  const original = await findOriginalRun(sql, run_id)
  const pilots = await store.findReplayRuns(sql, project_id, pilot_run_ids)
  const spent = pilots.reduce((sum, run) => sum + run.cost_micro, 0)
  await insertReplayRun(sql, {
    id,
    project_id,
    agent_id,
    deployment_id:
      deployment === 'original' ? deployment_id : await findCurrentDeployment(sql, { project_id, agent_id }),
    name: recovery.name ?? (await nameOfReplay(sql, recovery, original)),
    replay_of: filter.run_id ?? null,
    recovery_id: recovery.id,
    started_by: recovery.created_by,
    // Items of several runs may have several.
    timeout_seconds: filter.run_id === undefined ? null : original.timeout_seconds,
    patience_seconds: filter.run_id === undefined ? null : original.patience_seconds,
    budget_micro: budget_micro === null ? null : Math.max(0, budget_micro - spent),
  })
  await store.addRun(sql, recovery, part, id)
  return id
}

/** The name of the run it replays, to which it links; else "replay of" the cause, or of the run of its first item. */
async function nameOfReplay(
  sql: Sql,
  { project_id, filter }: store.OpenRecovery,
  { name }: Pick<OriginalRun, 'name'>,
) {
  if (filter.run_id !== undefined) return name
  const of = filter.cause_id === undefined ? name : await findCauseTitle(sql, project_id, filter.cause_id)
  return of ? `replay of ${of}`.slice(0, LIMITS.name_characters) : null
}

/** When the pilot has ended, continues if it did better than before, and stops otherwise. */
async function judge(_ctx: Context, sql: Sql, recovery: store.OpenRecovery): Promise<boolean> {
  const runs = await store.findReplayRuns(sql, recovery.project_id, recovery.pilot_run_ids)
  if (!runs.every(run => run.finished)) return false
  const sum: PilotResult = { ok: 0, failed: 0, failed_before: 0 }
  for (const run of runs) for (const key of ['ok', 'failed', 'failed_before'] as const) sum[key] += run[key]
  const pilot_better = isBetter(sum)
  await store.updateRecovery(sql, recovery, { pilot_better, status: pilot_better ? 'creating' : 'stopped' })
  return pilot_better
}

/** Cancels the recovery's runs, waits for their running items, and returns items that were not dispatched to triage. */
async function abort(_ctx: Context, sql: Sql, recovery: store.OpenRecovery): Promise<boolean> {
  const { project_id } = recovery
  const runs = await store.findReplayRuns(sql, project_id, [...recovery.pilot_run_ids, ...recovery.run_ids])
  for (const run of runs) {
    if (run.materializing) await openReplayRun(sql, { project_id, run_id: run.id })
    if (!run.finished) await stopCancelled(sql, { project_id, run_id: run.id })
  }
  if (runs.some(run => !run.finished)) return false
  for (const run of runs) {
    const keys = await store.findCancelledCopies(
      sql,
      { project_id, run_id: run.id },
      LIMITS.recovery_chunk_items,
    )
    if (keys.length === 0) continue
    await lockRuns(sql, keys)
    await store.returnToFeed(sql, keys)
    return true
  }
  await store.updateRecovery(sql, recovery, { status: 'aborted' })
  return false
}
