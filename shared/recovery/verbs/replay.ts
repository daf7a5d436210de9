// Replays, resumes and decides about single items. Guarantee: of any number of concurrent callers, exactly one
// succeeds; the others get an error that says why they did not.

import { confirmCaller, writeFor } from '../../accounts/queries/callers.ts'
import type { Context, Sql } from '../../context.ts'
import type { StartedBy } from '../../items/vocabulary.ts'
import { ApiError, type ApiErrorCode } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import { type ItemKey, itemRecordId } from '../../kernel/ids.ts'
import { deliverSoon } from '../../outbox/verbs/deliver.ts'
import { microOf } from '../../prices/rules/pricing.ts'
import { admitRuns } from '../../submission/verbs/admit.ts'
import * as decisions from '../../triage/queries/decisions.ts'
import * as triage from '../../triage/queries/triage.ts'
import { callOkWrong } from '../../triage/queries/verdicts.ts'
import type { RowAction, WrongOf } from '../../triage/vocabulary.ts'
import { madeOfHeld, nameMakers } from '../queries/makers.ts'
import * as store from '../queries/replay.ts'
import { type MadeSteps, type VersionWarning, warningsOf } from '../rules/makers.ts'
import { refusalOf, refusalToReopen } from '../rules/recovery.ts'
import type { DeploymentChoice, ReuseChoice } from '../vocabulary.ts'
import { copyWithSteps } from './copy.ts'

export interface ReplayOptions {
  reuse?: ReuseChoice | undefined
  from_step?: string | undefined
  /** The JSON text of another input. */
  input?: string | undefined
  deployment?: DeploymentChoice | undefined
  budget_cents?: number | undefined
}

/** The item that continues, and how many of its steps are reused. */
export interface Continued {
  run_id: string
  record_id: string
  reused_steps: number
  warnings?: VersionWarning[]
}

/**
 * Replays an item that did not work or was cancelled, in a new run of one item.
 *
 * `reuse` says which recorded steps are reused. With another input none are, unless `reuse` or `from_step` says that
 * they still hold.
 *
 * @throws ApiError `item_not_replayable`, `account_suspended`, `plan_limit`, `quota_exceeded`, `too_many_open_runs`;
 *   `invalid_request` when there is no such step
 */
export async function replayItem(
  ctx: Context,
  key: ItemKey,
  options: ReplayOptions,
  by: StartedBy | null = null,
): Promise<Continued> {
  const { from_step = null, input, deployment = 'current', budget_cents } = options
  const { reuse = input === undefined ? 'auto' : 'none' } = options
  const original = await store.findOriginalRun(ctx.sql, key.run_id)
  const current = await admitRuns(ctx, original.project_id, original.agent_id)
  const run_id = ctx.newRunId()
  const copied = await ctx.sql.begin(async tx => {
    const sql = tx as unknown as Sql
    const refusal = whyNot('replay', await triage.findStanding(sql, key, true))
    if (refusal !== null) throw refused('replay', key, refusal)
    if (from_step !== null && !(await store.hasStep(sql, key, from_step)))
      throw new ApiError('invalid_request', `Field "from_step" names no step of the item: ${from_step}.`)
    const { project_id, agent_id, name, timeout_seconds, patience_seconds } = original
    await store.insertReplayRun(sql, {
      id: run_id,
      project_id,
      agent_id,
      deployment_id: (deployment === 'original' ? original : current).deployment_id,
      name,
      replay_of: key.run_id,
      recovery_id: null,
      started_by: by,
      timeout_seconds,
      patience_seconds,
      budget_micro: budget_cents === undefined ? null : microOf(budget_cents),
    })
    const order = { reuse, from_step, in_feed: false, input: input ?? null, by }
    const copied = await copyWithSteps(sql, { project_id, run_id, keys: [key], ...order })
    if (copied.items === 0) throw refused('replay', key, 'it was decided meanwhile')
    await store.openReplayRun(sql, { project_id, run_id })
    await confirmCaller(sql, ctx.caller)
    await fault('replay.before_commit')
    return copied
  })
  deliverSoon(ctx) // the original's run may have been waiting only for this decision
  ctx.notify()
  const { project_id } = original
  const makers = await nameMakers(ctx.sql, copied.made, { project_id, deployment, run_ids: [] })
  const warnings = warningsOf(makers, 'replay')
  const reused_steps = copied.made.reduce((sum, { steps }) => sum + steps, 0)
  return { run_id, record_id: itemRecordId(run_id, 1), reused_steps, warnings }
}

/**
 * Lets a held item continue from its last recorded step, with `budget_cents` more budget. Without `budget_cents`, an
 * item held at its budget gets its declared budget once more.
 *
 * @throws ApiError `item_not_paused`
 */
export async function resumeItem(
  ctx: Context,
  key: ItemKey,
  options: { budget_cents?: number | undefined },
  by: string | null = null,
): Promise<Continued> {
  const { budget_cents } = options
  const extra = budget_cents === undefined ? null : microOf(budget_cents)
  let made: MadeSteps[] = []
  const resumed = await writeFor(ctx, async sql => {
    made = await madeOfHeld(sql, [key])
    return decisions.resume(sql, [key], extra, by)
  })
  if (resumed === 0) {
    const refusal = whyNot('resume', await triage.findStanding(ctx.sql, key))
    throw refused('resume', key, refusal ?? 'its run has ended')
  }
  ctx.notify()
  const { project_id, run_id } = key
  const makers = await nameMakers(ctx.sql, made, { project_id, deployment: 'original', run_ids: [] })
  const reused_steps = made.reduce((sum, { steps }) => sum + steps, 0)
  return {
    run_id,
    record_id: itemRecordId(run_id, key.seq),
    reused_steps,
    warnings: warningsOf(makers, 'resume'),
  }
}

const end = (ctx: Context, key: ItemKey, ending: decisions.Ending, by: string | null) =>
  writeFor(ctx, sql => decisions.endWaiting(sql, [key], ending, by))

/** @throws ApiError `item_already_decided` */
export async function acknowledgeItem(ctx: Context, key: ItemKey, by: string | null = null): Promise<void> {
  if ((await writeFor(ctx, sql => decisions.acknowledge(sql, [key], by))) === 0)
    throw await tooLate(ctx.sql, 'acknowledge', key)
}

/** @throws ApiError `item_already_decided` */
export async function dismissItem(ctx: Context, key: ItemKey, by: string | null = null): Promise<void> {
  if ((await end(ctx, key, { as: 'dismissed', one_by_one: true }, by)) === 0)
    throw await tooLate(ctx.sql, 'dismiss', key)
  deliverSoon(ctx)
}

/**
 * Calls wrong what the caller looked at: an item's verdict, the suspicion that triage asks about, or a correction of an
 * ok item. Calling a verdict wrong takes the item's row out of triage or, for an ok item, opens one. The recorded
 * verdict stays. `of` is needed because the item may have changed since the caller looked: `wrong` alone could then
 * mean the opposite.
 *
 * @throws ApiError `verdict_not_judgeable`, also when something other than `of` is stated about the item now
 */
export async function callItemWrong(
  ctx: Context,
  key: ItemKey,
  of: WrongOf = 'verdict',
  by: string | null = null,
): Promise<void> {
  if ((await end(ctx, key, { as: 'wrong', of }, by)) > 0) return deliverSoon(ctx)
  if (of === 'verdict' && (await writeFor(ctx, sql => callOkWrong(sql, key, by)))) return
  throw await tooLate(ctx.sql, 'wrong', key, of)
}

/**
 * Confirms the suspicion that triage asks about: the item did not work, although it is recorded as ok.
 *
 * @throws ApiError `verdict_not_judgeable`
 */
export async function confirmItem(ctx: Context, key: ItemKey, by: string | null = null): Promise<void> {
  if ((await end(ctx, key, { as: 'confirmed' }, by)) === 0) throw await tooLate(ctx.sql, 'confirm', key)
}

/**
 * Undoes a decision that did not start anything: the item waits for a decision again, and so does its run.
 *
 * @throws ApiError `item_not_reopenable`
 */
export async function reopenItem(ctx: Context, key: ItemKey): Promise<void> {
  await writeFor(ctx, async sql => {
    const standing = await triage.findStanding(sql, key, true)
    const refusal = standing === undefined ? 'it is gone' : refusalToReopen(standing)
    if (refusal !== null || !(await decisions.reopen(sql, key)))
      throw new ApiError(
        'item_not_reopenable',
        `Cannot reopen item ${itemRecordId(key.run_id, key.seq)}: ${refusal ?? 'it was decided meanwhile'}.`,
      )
  })
  deliverSoon(ctx) // a run that returns to partial is announced like a run that becomes partial
}

const whyNot = (action: RowAction, facts: triage.Standing | undefined, of?: WrongOf): string | null =>
  facts === undefined ? 'it is gone' : refusalOf(action, facts, of)

/** The error of an action that did nothing. If the obstacle is gone by now, it says that the item has changed. */
async function tooLate(sql: Sql, action: RowAction, key: ItemKey, of?: WrongOf): Promise<ApiError> {
  const refusal = whyNot(action, await triage.findStanding(sql, key), of)
  return refused(action, key, refusal ?? 'it has changed meanwhile; look at it again')
}

const CODES: Record<RowAction, ApiErrorCode> = {
  replay: 'item_not_replayable',
  resume: 'item_not_paused',
  acknowledge: 'item_already_decided',
  dismiss: 'item_already_decided',
  wrong: 'verdict_not_judgeable',
  confirm: 'verdict_not_judgeable',
}

const refused = (action: RowAction, { run_id, seq }: ItemKey, why: string) => {
  const act = action === 'wrong' ? 'call wrong' : action
  return new ApiError(CODES[action], `Cannot ${act} item ${itemRecordId(run_id, seq)}: ${why}.`)
}
