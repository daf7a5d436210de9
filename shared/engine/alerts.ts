// Raises alerts. Guarantee: what is raised within a transaction stands or falls with it, and every look at runs and
// projects is bounded, may be cut off anywhere and may happen twice at once.

import type { Context, Sql } from '../context.ts'
import {
  type Alert,
  consumerStalled,
  creditNear,
  failureShare,
  runBudgetNear,
  runNotOk,
} from '../domain/alerts.ts'
import { ApiError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { AlertRule } from '../domain/vocabulary.ts'
import type { AlertChannelRow } from '../schema/wire-alerts.ts'
import { findNearlySpent, findStalled, findUnwellRuns, takeEndedRuns } from '../store/alert-watch.ts'
import * as store from '../store/alerts.ts'

/**
 * Raises alerts in the caller's transaction, unless their rule is off or alerted about the same subject within a day.
 * Returns how many were raised; whoever commits pokes the deliveries.
 *
 * @example
 * await raiseAlerts(ctx, tx, moments.map(scheduleMissed).filter(alert => alert !== null))
 */
export async function raiseAlerts(ctx: Context, sql: Sql, alerts: readonly Alert[]): Promise<number> {
  if (alerts.length === 0) return 0
  const raised = await store.raiseAlerts(
    sql,
    alerts.map(alert => ({ ...alert, id: ctx.newId() })),
  )
  return raised.length
}

/** When each host last looked at what is open; one that lives for an invocation looks in each. */
const lookedAt = new WeakMap<Context, number>()

/** The chore: looks at runs that ended and, every so often, at those that are open. */
export async function watchForAlerts(ctx: Context): Promise<number> {
  let raised = await ctx.sql.begin(async tx => {
    const sql = tx as unknown as Sql
    const ended = await takeEndedRuns(sql, LIMITS.alert_runs_per_look)
    const alerts = ended.flatMap(run => [
      ...(run.not_ok ? [runNotOk(run)] : []),
      ...(run.too_many_failed ? [failureShare(run)] : []),
    ])
    return raiseAlerts(ctx, sql, alerts)
  })
  if (Math.abs(ctx.now() - (lookedAt.get(ctx) ?? 0)) < LIMITS.alert_look_ms) return raised
  lookedAt.set(ctx, ctx.now())
  raised += await raiseAlerts(ctx, ctx.sql, await findOpenTrouble(ctx.sql))
  return raised
}

async function findOpenTrouble(sql: Sql): Promise<Alert[]> {
  const limit = LIMITS.alert_runs_per_look
  const [runs, spent, stalled] = await Promise.all([
    findUnwellRuns(sql, limit),
    findNearlySpent(sql, limit),
    findStalled(sql, limit),
  ])
  return [
    ...runs.flatMap(run => [
      ...(run.too_many_failed ? [failureShare(run)] : []),
      ...(run.budget_near ? [runBudgetNear(run)] : []),
    ]),
    ...spent.map(creditNear),
    ...stalled.map(consumerStalled),
  ]
}

/** Mutes or enables a rule, for one agent or for every agent that has no setting of its own. */
export async function setAlertRule(
  ctx: Context,
  project_id: string,
  change: {
    rule: AlertRule
    agent_id?: string | undefined
    enabled: boolean
    bounds?: Record<string, number> | undefined
  },
): Promise<void> {
  const { rule, agent_id = null, enabled, bounds } = change
  await store.putAlertSetting(ctx.db, {
    id: ctx.newId(),
    project_id,
    agent_id,
    rule,
    enabled,
    ...(bounds && { bounds }),
  })
}

/** Adds where a project's alerts go. @throws ApiError `too_many_channels` */
export async function addAlertChannel(
  ctx: Context,
  project_id: string,
  url: string,
): Promise<AlertChannelRow> {
  const known = await store.listAlertChannels(ctx.db, project_id)
  if (known.length >= LIMITS.alert_channels_per_project && !known.some(channel => channel.url === url)) {
    throw new ApiError(
      'too_many_channels',
      `The project has ${known.length} alert channels, as many as it may have.`,
      'Delete one that is not needed any more.',
    )
  }
  return store.putAlertChannel(ctx.db, { id: ctx.newId(), project_id, url })
}

/** @throws ApiError `not_found` */
export async function removeAlertChannel(
  ctx: Context,
  project_id: string,
  id: string,
): Promise<AlertChannelRow> {
  const gone = await store.deleteAlertChannel(ctx.db, project_id, id)
  if (gone === undefined) throw new ApiError('not_found', 'There is no such alert channel in this account.')
  return gone
}
