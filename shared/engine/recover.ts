// Replays a whole cohort: a pilot where one was asked for, then the rest. Guarantee: each step is one transaction under
// the lock of the recovery's row and is chosen by what is stored, so a crash anywhere costs time and nothing else, and
// no item is replayed twice by it.

import type { Context, Sql } from '../context.ts'
import { ApiError } from '../domain/errors.ts'
import { fault } from '../domain/fault.ts'
import { LIMITS } from '../domain/limits.ts'
import { isBetter } from '../domain/recovery.ts'
import type { RecoveryFilter } from '../schema/tables.ts'
import * as store from '../store/recoveries.ts'
import { copyItems, insertReplayRun, lockRuns, openReplayRun } from '../store/replay.ts'
import { stopRun } from '../store/stop.ts'
import { findSubmitter } from '../store/submission.ts'

export interface RecoveryOrder {
  project_id: string
  name: string | null
  filter: RecoveryFilter
  first: number | null
}

export interface CohortPlan {
  eligible: number
  /** Items that pass the filter and cannot be replayed, by why not. */
  ineligible: { reason: Exclude<store.Cohort['standing'], 'eligible'>; count: number }[]
  /** Agents with eligible items. */
  agent_ids: string[]
}

/** What a recovery with this filter would replay, and what not. */
export async function planRecovery(
  ctx: Context,
  project_id: string,
  filter: RecoveryFilter,
): Promise<CohortPlan> {
  const plan: CohortPlan = { eligible: 0, ineligible: [], agent_ids: [] }
  for (const { agent_id, standing, count } of await store.countCohort(ctx.sql, project_id, filter)) {
    if (standing === 'eligible') {
      plan.eligible += count
      plan.agent_ids.push(agent_id)
      continue
    }
    const known = plan.ineligible.find(one => one.reason === standing)
    if (known) known.count += count
    else plan.ineligible.push({ reason: standing, count })
  }
  return plan
}

/**
 * Starts a recovery and copies its first items; the tick does the rest.
 *
 * @throws ApiError `nothing_to_recover`; `account_suspended`; `invalid_request` when the filter matches items of several agents, for a run
 *   has one
 */
export async function startRecovery(ctx: Context, order: RecoveryOrder): Promise<string> {
  const { project_id, name, filter, first } = order
  const { eligible, agent_ids } = await planRecovery(ctx, project_id, filter)
  const [agent_id, another] = agent_ids
  if (agent_id === undefined)
    throw new ApiError('nothing_to_recover', 'No item that waits for a decision passes the filter.')
  if (another !== undefined)
    throw new ApiError(
      'invalid_request',
      `The filter matches items of ${agent_ids.length} agents; a recovery is for one.`,
      `Add "agent_id" to the filter: ${agent_ids.slice(0, LIMITS.bad_lines_named).join(', ')}.`,
    )
  const submitter = await findSubmitter(ctx.sql, project_id, agent_id, LIMITS.project_open_runs)
  if (submitter?.account_status === 'suspended')
    throw new ApiError('account_suspended', 'The account is suspended; nothing is replayed.')
  const id = ctx.newId()
  // From here on the agent is fixed, whatever fails meanwhile.
  await store.insertRecovery(ctx.sql, {
    id,
    project_id,
    agent_id,
    name,
    filter: { ...filter, agent_id },
    eligible,
    first,
  })
  await advance(ctx, id)
  return id
}

/** @throws ApiError `recovery_already_ended` */
export async function abortRecovery(ctx: Context, id: string): Promise<void> {
  if (!(await store.abortRecovery(ctx.sql, id)))
    throw new ApiError('recovery_already_ended', `Recovery ${id} has ended already.`)
  await advance(ctx, id)
}

/** Takes a bounded number of steps of every open recovery. */
export async function advanceRecoveries(ctx: Context): Promise<number> {
  const open = await store.findOpenRecoveries(ctx.sql, LIMITS.open_runs_per_look)
  for (const { id } of open) {
    try {
      await advance(ctx, id)
    } catch (error) {
      // One that cannot go on must not keep the others waiting; the next sweep tries it again.
      ctx.log('warn', 'recovery_failed', { recovery_id: id, error: String(error) })
    }
  }
  return open.length
}

async function advance(ctx: Context, id: string): Promise<void> {
  for (let steps = 0; steps < LIMITS.recovery_chunks_per_sweep; steps++) {
    const more = await ctx.sql.begin(async tx => {
      const sql = tx as unknown as Sql
      const recovery = await store.lockRecovery(sql, id)
      if (recovery === undefined) return false
      const more = await STEPS[recovery.status](ctx, sql, recovery)
      await fault('recovery.before_commit')
      return more
    })
    if (!more) break
  }
  ctx.poke()
}

/** Takes one step; true when another can follow at once. */
type Step = (ctx: Context, sql: Sql, recovery: store.OpenRecovery) => Promise<boolean>

const STEPS: Record<store.OpenRecovery['status'], Step> = {
  creating: create,
  pilot: judge,
  async running(_ctx, sql, { id, run_id }) {
    const run = await store.findReplayRun(sql, run_id!)
    if (run.finished) await store.updateRecovery(sql, id, { status: 'completed' })
    return false
  },
  aborting: abort,
  completed: async () => false,
  stopped: async () => false,
  aborted: async () => false,
}

/** Copies the next chunk into the run that is being made, or opens it when there is nothing more to copy. */
async function create(ctx: Context, sql: Sql, recovery: store.OpenRecovery): Promise<boolean> {
  const isPilot = recovery.first !== null && recovery.pilot_better === null
  const column = isPilot ? 'pilot_run_id' : 'run_id'
  const runId = recovery[column] ?? (await newRun(ctx, sql, recovery, column))
  const { total_items } = await store.findReplayRun(sql, runId)
  const room = (isPilot ? recovery.first! : Number.POSITIVE_INFINITY) - total_items
  const chunk = Math.min(room, LIMITS.recovery_chunk_items, LIMITS.items_per_run - total_items)
  const keys = chunk > 0 ? await store.nextOfCohort(sql, recovery, chunk) : []
  if (keys.length > 0) {
    await lockRuns(
      sql,
      keys.map(key => key.run_id),
    )
    // What somebody else decided since they were read is left out.
    await copyItems(sql, { run_id: runId, keys, in_feed: true, input: null, steps: 'all' })
    return true
  }
  if (total_items > 0) {
    await openReplayRun(sql, runId)
    await store.updateRecovery(sql, recovery.id, { status: isPilot ? 'pilot' : 'running' })
    return false
  }
  // Nothing was left, for example because all of it was in the pilot.
  await store.updateRecovery(sql, recovery.id, { [column]: null, status: 'completed' })
  await store.deleteEmptyRun(sql, runId)
  return false
}

async function newRun(
  ctx: Context,
  sql: Sql,
  recovery: store.OpenRecovery,
  column: 'pilot_run_id' | 'run_id',
): Promise<string> {
  const id = ctx.newRunId()
  await insertReplayRun(sql, {
    id,
    project_id: recovery.project_id,
    agent_id: recovery.agent_id,
    deployment_id: recovery.current_deployment_id,
    name: recovery.name,
    replay_of: recovery.filter.run_id ?? null,
    recovery_id: recovery.id,
    timeout_seconds: null,
    budget_micro: null,
  })
  await store.updateRecovery(sql, recovery.id, { [column]: id })
  return id
}

/** When the pilot has ended: goes on if it did better than before, stops otherwise. */
async function judge(_ctx: Context, sql: Sql, { id, pilot_run_id }: store.OpenRecovery): Promise<boolean> {
  const run = await store.findReplayRun(sql, pilot_run_id!)
  if (!run.finished) return false
  const pilot_better = isBetter({ ...run, items: run.total_items })
  await store.updateRecovery(sql, id, { pilot_better, status: pilot_better ? 'creating' : 'stopped' })
  return pilot_better
}

/** Cancels its runs, waits for what is at work, and gives back to triage what was not dispatched. */
async function abort(_ctx: Context, sql: Sql, recovery: store.OpenRecovery): Promise<boolean> {
  const { id, project_id } = recovery
  for (const runId of [recovery.pilot_run_id, recovery.run_id]) {
    if (runId === null) continue
    const run = await store.findReplayRun(sql, runId)
    if (run.materializing) await openReplayRun(sql, runId)
    if (!run.finished) {
      await stopRun(sql, { id: runId, project_id, reason: 'cancelled' })
      return false
    }
    const keys = await store.findCancelledCopies(sql, runId, LIMITS.recovery_chunk_items)
    if (keys.length === 0) continue
    await lockRuns(
      sql,
      keys.map(key => key.run_id),
    )
    await store.returnToFeed(sql, keys)
    return true
  }
  await store.updateRecovery(sql, id, { status: 'aborted' })
  return false
}
