// Evaluates the alert rules on runs, projects, held items and deadlines, and resolves alerts whose condition has ended.
// Guarantee: the outcome of a run raises at most one alert; each pass is bounded, may be cut off anywhere and may run
// twice at once.

import * as watch from '../../alerts/queries/alert-watch.ts'
import { findResolvedBy, resolveAlerts } from '../../alerts/queries/alerts.ts'
import { queueDigests } from '../../alerts/queries/digests.ts'
import * as projects from '../../alerts/queries/project-watch.ts'
import { unpricedModel } from '../../alerts/rules/alerts.ts'
import {
  consumerStalled,
  creditNear,
  itemsHeld,
  runAlert,
  upstreamUnavailable,
} from '../../alerts/rules/run-alerts.ts'
import { raiseAlerts } from '../../alerts/verbs/alerts.ts'
import { ALERT_RULES } from '../../alerts/vocabulary.ts'
import type { Context, Sql } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { fault } from '../../kernel/fault.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { queueResultsFiles } from '../../outbox/queries/results-files.ts'
import { findUnheldBudgets } from '../../prices/queries/prices.ts'
import { passDeadlines } from '../../schedules/verbs/deadlines.ts'
import { foreseeDeadlines } from '../../schedules/verbs/foresee.ts'

/** When each host last evaluated what is open; a host that lives for an invocation does so in each. */
const lookedAt = new WeakMap<Context, number>()

/** Chore of the tick: evaluates ended runs and, every so often, what is open. Returns how many messages it made. */
export async function watchForAlerts(ctx: Context): Promise<number> {
  const began_ms = ctx.now()
  let messages = 0
  for (;;) {
    const { taken, made } = await alone(ctx, sql => watchEnded(ctx, sql))
    messages += made
    if (taken < LIMITS.alert_runs_per_look || sinceMs(ctx.now(), began_ms) >= LIMITS.alert_ended_runs_ms)
      break
  }
  if (sinceMs(ctx.now(), lookedAt.get(ctx) ?? 0) < LIMITS.alert_look_ms) return messages
  lookedAt.set(ctx, ctx.now())
  return messages + (await alone(ctx, sql => watchOpen(ctx, sql))).made
}

interface Pass {
  taken: number
  made: number
}

/** Runs a pass in a transaction, under a lock. If another process has the lock, this one tries again soon. */
function alone(ctx: Context, look: (sql: Sql) => Promise<Pass>): Promise<Pass> {
  return ctx.sql.begin(async tx => {
    const sql = tx as unknown as Sql
    const pass = (await watch.lockAlerts(sql)) ? await look(sql) : { taken: 0, made: 0 }
    if (pass.taken > 0) await fault('alerts.before_commit')
    return pass
  }) as Promise<Pass>
}

/** Raises the alerts of ended runs, resolves those that their end resolves, and queues their digests and files. */
async function watchEnded(ctx: Context, sql: Sql): Promise<Pass> {
  const ended = await watch.takeEndedRuns(sql, LIMITS.alert_runs_per_look)
  if (ended.length === 0) return { taken: 0, made: 0 }
  const raised = await raiseAlerts(ctx, sql, ended.flatMap(alertOf))
  const subjects = ended
    .filter(run => !run.is_replay && run.status !== 'cancelled')
    .map(run => ({
      ...run,
      is_stopped: run.stop_reason !== null,
      still: ALERT_RULES.filter(rule => run.holds[rule]),
    }))
  const over = await findResolvedBy(sql, subjects)
  const resolved = await resolveAlerts(sql, over)
  const next = await watch.findStoodFor(
    sql,
    over.filter(alert => alert.is_decided),
  )
  const raisedNext = await raiseAlerts(ctx, sql, firstOfEach(next.flatMap(alertOf)))
  const first = ended.filter(run => run.first_end)
  const queued = (await queueDigests(sql, first)) + (await queueResultsFiles(sql, first))
  return { taken: ended.length, made: raised + resolved.length + raisedNext + queued }
}

const alertOf = (run: watch.EndedRun) =>
  (run.first_end && !run.is_quiet ? runAlert(run, run.found) : null) ?? []

/** The earliest alert of each rule about each subject: the others get their turn when it is decided about. */
function firstOfEach<T extends { rule: string; subject_id: string | null; since: Date | string }>(
  alerts: readonly T[],
): T[] {
  const latestFirst = alerts.toSorted((a, b) => Number(new Date(b.since)) - Number(new Date(a.since)))
  return [...new Map(latestFirst.map(one => [`${one.rule} ${one.subject_id}`, one])).values()]
}

/** Raises alerts of open runs, projects, held items and deadlines, and resolves those whose condition has ended. */
async function watchOpen(ctx: Context, sql: Sql): Promise<Pass> {
  const limit = LIMITS.alert_runs_per_look
  const resolved = await resolveAlerts(sql, await projects.findOver(sql, limit))
  const runs = await watch.findUnwellRuns(sql, limit)
  const alerts = [
    ...runs.flatMap(run => runAlert(run, run.found) ?? []),
    ...(await projects.findNearlySpent(sql, limit)).map(creditNear),
    ...(await projects.findStalled(sql, limit)).map(consumerStalled),
    ...(await projects.findHeldItems(sql, limit)).map(itemsHeld),
    ...(await projects.findShutUpstreams(sql, limit)).map(upstreamUnavailable),
    ...(await findUnheldBudgets(sql, limit)).map(unpricedModel),
    ...(await passDeadlines(sql)),
    ...(await foreseeDeadlines(sql)),
  ]
  const raised = await raiseAlerts(ctx, sql, alerts)
  return { taken: 0, made: raised + resolved.length }
}
