// Raises alerts and ends them. Guarantee: what is raised within a transaction stands or falls with it; of a run at most
// one alert is told; and every look at runs and projects is bounded, may be cut off anywhere and may happen twice at once.

import { findUnheldBudgets } from '../../accounts/queries/prices.ts'
import type { Context, Sql } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { ApiError } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import { LIMITS } from '../../kernel/limits.ts'
import * as watch from '../queries/alert-watch.ts'
import * as store from '../queries/alerts.ts'
import { queueDigests } from '../queries/digests.ts'
import { queueResultsFiles } from '../queries/results-files.ts'
import { type Alert, unpricedModel } from '../rules/alerts.ts'
import { guessFormat, isMailUrl } from '../rules/formats.ts'
import { consumerStalled, creditNear, itemsHeld, runAlert } from '../rules/run-alerts.ts'
import { ALERT_RULES, type AlertRule, type ChannelDigest, type ChannelFormat } from '../rules/vocabulary.ts'
import type { AlertChannelRow } from '../wire/alerts.ts'
import { passDeadlines } from './deadlines.ts'

/**
 * Raises alerts in the caller's transaction, unless their rule is off or an alert of it about the same subject is open.
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

/** The chore: tells of runs that ended and, every so often, of what is open. Returns how many messages that made. */
export async function watchForAlerts(ctx: Context): Promise<number> {
  const began_ms = ctx.now()
  let told = 0
  for (;;) {
    const { taken, made } = await alone(ctx, sql => tellEnded(ctx, sql))
    told += made
    if (taken < LIMITS.alert_runs_per_look || sinceMs(ctx.now(), began_ms) >= LIMITS.alert_ended_runs_ms)
      break
  }
  if (sinceMs(ctx.now(), lookedAt.get(ctx) ?? 0) < LIMITS.alert_look_ms) return told
  lookedAt.set(ctx, ctx.now())
  return told + (await alone(ctx, sql => tellOpen(ctx, sql))).made
}

interface Told {
  taken: number
  made: number
}

/** Looks while nobody else does, in a transaction. Who finds somebody looking has nothing to do: it looks again soon. */
function alone(ctx: Context, look: (sql: Sql) => Promise<Told>): Promise<Told> {
  return ctx.sql.begin(async tx => {
    const sql = tx as unknown as Sql
    const told = (await watch.lockAlerts(sql)) ? await look(sql) : { taken: 0, made: 0 }
    if (told.taken > 0) await fault('alerts.before_commit')
    return told
  }) as Promise<Told>
}

/** Raises what runs that ended give reason for, ends what they are the end of, and puts down their digests and files. */
async function tellEnded(ctx: Context, sql: Sql): Promise<Told> {
  const ended = await watch.takeEndedRuns(sql, LIMITS.alert_runs_per_look)
  if (ended.length === 0) return { taken: 0, made: 0 }
  const alerts = ended.flatMap(run => {
    const alert = run.first_end && !run.is_quiet ? runAlert(run, run.found) : null
    return alert ?? []
  })
  const raised = await raiseAlerts(ctx, sql, alerts)
  const subjects = ended
    .filter(run => !run.is_replay && run.status !== 'cancelled')
    .map(run => ({ ...run, still: ALERT_RULES.filter(rule => run.holds[rule]) }))
  const over = await store.findResolvedBy(sql, subjects)
  const resolved = await store.resolveAlerts(
    sql,
    over.map(alert => alert.id),
  )
  const first = ended.filter(run => run.first_end).map(run => run.run_id)
  const told = (await queueDigests(sql, first)) + (await queueResultsFiles(sql, first))
  return { taken: ended.length, made: raised + resolved.length + told }
}

/** Raises what open runs, projects, held items and passed deadlines give reason for, and ends what is so no more. */
async function tellOpen(ctx: Context, sql: Sql): Promise<Told> {
  const limit = LIMITS.alert_runs_per_look
  const over = await watch.findOver(sql, limit)
  const resolved = await store.resolveAlerts(
    sql,
    over.map(alert => alert.id),
  )
  const runs = await watch.findUnwellRuns(sql, limit)
  const alerts = [
    ...runs.flatMap(run => runAlert(run, run.found) ?? []),
    ...(await watch.findNearlySpent(sql, limit)).map(creditNear),
    ...(await watch.findStalled(sql, limit)).map(consumerStalled),
    ...(await watch.findHeldItems(sql, limit)).map(itemsHeld),
    ...(await passDeadlines(sql)),
    ...(await findUnheldBudgets(sql, limit)).map(unpricedModel),
  ]
  const raised = await raiseAlerts(ctx, sql, alerts)
  return { taken: 0, made: raised + resolved.length }
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

export interface ChannelOrder {
  url: string
  /** Guessed from the URL unless told. */
  format?: ChannelFormat | undefined
  digest?: ChannelDigest | undefined
}

/** Adds where a project's alerts go; one that is there takes what is said of it now. @throws ApiError `too_many_channels` */
export async function addAlertChannel(
  ctx: Context,
  project_id: string,
  { url, format = guessFormat(url), digest = 'scheduled' }: ChannelOrder,
): Promise<AlertChannelRow> {
  if ((format === 'mail') !== isMailUrl(url)) {
    throw new ApiError('invalid_request', 'Field "format" is mail for mailto: and nothing else.')
  }
  const known = await store.listAlertChannels(ctx.db, project_id)
  if (known.length >= LIMITS.alert_channels_per_project && !known.some(channel => channel.url === url)) {
    throw new ApiError(
      'too_many_channels',
      `The project has ${known.length} alert channels, as many as it may have.`,
      'Delete one that is not needed any more.',
    )
  }
  return store.putAlertChannel(ctx.db, { id: ctx.newId(), project_id, url, format, digest })
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
