// Fires schedules: the chores of the tick, and starts by hand. Guarantee: every fire time of a schedule gets one row,
// and an occurrence that is `fired` has one run, opened with it, even if a process pauses, dies or acts twice. Fire
// times that passed during an outage are missed, except the newest, which still fires unless it is too old.

import type { Fragment, TransactionSql } from 'postgres'
import { type MissedOccurrence, scheduleMissed } from '../../alerts/rules/alerts.ts'
import { raiseAlerts } from '../../alerts/verbs/alerts.ts'
import type { Context, Sql } from '../../context.ts'
import { bisect } from '../../kernel/bisect.ts'
import { findProjects } from '../../kernel/each-project.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { fault } from '../../kernel/fault.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { bookReads, type SourcedSchedule } from '../../sources/queries/source-reads.ts'
import type { Source } from '../../sources/rules/source.ts'
import { startNow } from '../../sources/verbs/start-from-source.ts'
import { refusalOf } from '../../submission/rules/run-admission.ts'
import { type Submitted, submitRun } from '../../submission/verbs/submit.ts'
import { orderOfStart } from '../../submission/wire/start-settings.ts'
import { noteNeverStarted } from '../queries/never-started.ts'
import * as store from '../queries/occurrences.ts'
import { noteStartByHand, runName, type Start, startRuns } from '../queries/starts.ts'
import { disableUnreadable } from '../queries/unreadable.ts'
import { REFUSALS, type RefusalReason } from '../rules/occurrence.ts'
import { planDue } from './due.ts'

/** Chore of the tick: acts on every fire time that has come. Returns how many schedules had one. */
export function fireDue(ctx: Context): Promise<number> {
  return inChunks(ctx, store.projectsDue, async (sql, project_id) => {
    const due = await store.lockDue(sql, LIMITS.fires_per_chunk, project_id)
    if (due.length === 0) return 0
    await fault('fire.after_lock')
    const { unreadable, missed, newest, nexts } = planDue(due)
    if (unreadable.length > 0) await disableUnreadable(sql, unreadable)
    if (missed.length > 0) await store.noteMissed(sql, missed)
    const overtaken = await store.endRetries(
      sql,
      due.map(({ project_id, id, next_at }) => ({ project_id, schedule_id: id, scheduled_for: next_at })),
    )
    const refused = [...unreadable, ...(await startAll(ctx, sql, newest))]
    await noteRefusals(sql, refused)
    await store.advance(sql, nexts)
    await alert(ctx, sql, due, [
      ...firstOfEach(missed).map(moment => ({ ...moment, reason: 'overdue' as const })),
      ...overtaken,
      ...refused.filter(({ reason }) => !REFUSALS[reason].retried),
    ])
    return due.length
  })
}

/** Chore of the tick: retries occurrences that met a transient fault. Returns how many. */
export function retryFires(ctx: Context): Promise<number> {
  return inChunks(ctx, store.projectsToRetry, async (sql, project_id) => {
    const due = await store.lockRetries(sql, LIMITS.fires_per_chunk, project_id)
    if (due.length === 0) return 0
    await fault('fire.after_lock')
    const refused = await startAll(ctx, sql, due)
    await noteRefusals(sql, refused)
    const final = refused.filter(({ reason }) => !REFUSALS[reason].retried)
    await alert(ctx, sql, due, final)
    return due.length
  })
}

/** Chore of the tick: records runs that no worker started in time, and raises alerts. Returns how many it checked. */
export async function watchStarts(ctx: Context): Promise<number> {
  const looked = await ctx.sql.begin(async tx => {
    const sql = tx as unknown as Sql
    const looked = await noteNeverStarted(sql, LIMITS.fires_per_chunk)
    const missed = looked.filter(moment => moment.never_started)
    await raiseMissed(
      ctx,
      sql,
      missed.map(moment => ({ ...moment, reason: 'run_never_started' as const, detail: null })),
    )
    return looked.length
  })
  if (looked > 0) ctx.notify()
  return looked
}

export type StartedByHand = Omit<SourcedSchedule, 'source'> & { input: string; source: Source | null }

/** Starts a run at once, as the schedule would, and records it as an occurrence. @throws ApiError like submitRun */
export async function fireByHand(ctx: Context, schedule: StartedByHand): Promise<Submitted> {
  const { project_id, agent_id, input, source } = schedule
  const together = (sql: Sql, run_id: string) => noteStartByHand(sql, schedule, run_id)
  const name = runName(schedule)
  const started_by = { kind: 'schedule' as const, id: schedule.id, name }
  if (source !== null) return startNow(ctx, { ...schedule, source, name }, { together, started_by })
  const order = {
    ...orderOfStart({ ...schedule, pilot_items: null }),
    project_id,
    agent_id,
    name,
    started_by,
    idempotency: null,
    together,
  }
  return submitRun(ctx, order, pileOf(input))
}

async function* pileOf(input: string) {
  yield [{ line: 1, item_id: null, partition_key: null, input }]
}

/**
 * Runs chunks, each in a transaction, until nothing is left or the time of a tick (LIMITS.fire_ms) is used up. Projects
 * get a chunk each in turn, so that one with many delays the others by no more.
 */
async function inChunks(
  ctx: Context,
  projects: (sql: Sql) => Fragment,
  take: (sql: Sql, project_id: string) => Promise<number>,
): Promise<number> {
  const began_ms = ctx.now()
  let taken = 0
  for (let before = -1; before < taken; ) {
    before = taken
    for (const project_id of await findProjects(ctx.sql, projects(ctx.sql))) {
      taken += await takeChunk(ctx, sql => take(sql, project_id))
      if (sinceMs(ctx.now(), began_ms) >= LIMITS.fire_ms) return taken
    }
  }
  return taken
}

async function takeChunk(ctx: Context, take: (sql: Sql) => Promise<number>): Promise<number> {
  const chunk = await ctx.sql.begin(async tx => {
    const sql = tx as unknown as Sql
    await store.waitAtMost(sql, LIMITS.fire_lock_ms)
    const chunk = await take(sql)
    if (chunk > 0) await fault('fire.before_commit')
    return chunk
  })
  if (chunk > 0) {
    await fault('fire.after_commit')
    ctx.notify()
  }
  return chunk
}

type Refused = store.NamedOccurrence & { reason: RefusalReason }

/** Starts a run for each occurrence, or queues the read of its source; returns those that got neither, and why. */
async function startAll(ctx: Context, sql: Sql, given: readonly store.DueOccurrence[]): Promise<Refused[]> {
  const sourced = given.filter(moment => moment.has_source)
  if (sourced.length > 0) await bookReads(sql, sourced.map(momentOf))
  const moments = given.filter(moment => !moment.has_source)
  if (moments.length === 0) return []
  const all = (reason: RefusalReason) => moments.map(moment => refusal(moment, reason))
  const agents = await tried(ctx, sql, 'agent_lookup_failed', sql => store.findStartingAgents(sql, moments))
  if (agents === null) return all('agent_lookup_failed')
  const payers = await tried(ctx, sql, 'account_lookup_failed', sql =>
    store.findPayers(
      sql,
      moments.map(moment => moment.project_id),
    ),
  )
  if (payers === null) return all('account_lookup_failed')
  const judge = judgeOf(agents, payers)
  const refused: Refused[] = []
  const starts: Start[] = []
  for (const moment of moments) {
    const reason = judge(moment)
    if (reason !== null) refused.push(refusal(moment, reason))
    else starts.push({ ...momentOf(moment), run_id: ctx.newRunId() })
  }
  return [...refused, ...(await dispatch(ctx, sql, starts))]
}

/** Opens the runs; those that PostgreSQL rejects are found by bisection and returned. */
async function dispatch(ctx: Context, sql: Sql, starts: readonly Start[]): Promise<Refused[]> {
  if (starts.length === 0) return []
  const failed: Start[] = []
  const done = await tried(ctx, sql, 'dispatch_failed', () =>
    bisect(
      starts,
      async part => (await savepoint(sql, sql => startRuns(sql, part, LIMITS.run_start_minutes))).length,
      async (start, error) => {
        ctx.log('warn', 'dispatch_failed', { schedule_id: start.schedule_id, error: String(error) })
        return failed.push(start)
      },
    ),
  )
  // If the bisection itself failed, nothing was started: its savepoint was rolled back.
  return (done === null ? starts : failed).map(start => ({ ...start, reason: 'dispatch_failed' as const }))
}

/** The result of a part of the transaction; null if the part failed, and then it has changed nothing. */
async function tried<T>(
  ctx: Context,
  sql: Sql,
  what: 'agent_lookup_failed' | 'account_lookup_failed' | 'dispatch_failed' | 'agent_names_not_read',
  part: (sql: Sql) => Promise<T>,
): Promise<T | null> {
  try {
    return await savepoint(sql, part)
  } catch (error) {
    ctx.log('warn', what, { error: String(error) })
    return null
  }
}

const savepoint = <T>(sql: Sql, part: (sql: Sql) => Promise<T>) =>
  (sql as unknown as TransactionSql).savepoint(within => part(within as unknown as Sql)) as Promise<T>

/** Returns a judge, which gives the reason why a schedule may start nothing, or takes room for a run and gives null. */
function judgeOf(agents: readonly store.StartingAgent[], payers: readonly store.Payer[]) {
  const agentOf = new Map(agents.map(agent => [agent.id, agent]))
  const payerOf = new Map(payers.map(payer => [payer.project_id, payer]))
  const started = new Map<string, number>()
  const startedOf = (id: string) => started.get(id) ?? 0
  return ({ agent_id, project_id }: store.LockedSchedule): RefusalReason | null => {
    const [agent, payer] = [agentOf.get(agent_id), payerOf.get(project_id)]
    if (agent === undefined || payer === undefined) return 'agent_not_found'
    // A submission waits for a deployment. A fire that waited might run what its schedule did not mean: it is retried.
    if (!agent.is_deployed) return 'no_deployed_version'
    const { account_id, account_room, project_room } = payer
    const left = {
      ...payer,
      account_room: account_room === null ? null : account_room - startedOf(account_id),
      project_room: project_room - startedOf(project_id),
    }
    if (refusalOf(left, 1) !== null) return 'plan_limit'
    for (const id of [account_id, project_id]) started.set(id, startedOf(id) + 1)
    return null
  }
}

const momentOf = ({ project_id, id, scheduled_for }: store.DueOccurrence) => ({
  project_id,
  schedule_id: id,
  scheduled_for,
})
const refusal = (moment: store.DueOccurrence, reason: RefusalReason) => ({ ...momentOf(moment), reason })

async function noteRefusals(sql: Sql, refused: readonly Refused[]): Promise<void> {
  if (refused.length === 0) return
  const rows = refused.map(moment => ({ ...moment, ...REFUSALS[moment.reason] }))
  await store.noteRefusals(sql, rows, LIMITS.fire_backoff_s)
}

/** The first fire time of each schedule, given fire times in order: since when it has been missed. */
function firstOfEach(moments: readonly store.NamedOccurrence[]): store.NamedOccurrence[] {
  return [...new Map(moments.toReversed().map(moment => [moment.schedule_id, moment])).values()]
}

async function alert(
  ctx: Context,
  sql: Sql,
  schedules: readonly store.LockedSchedule[],
  moments: readonly store.EndedOccurrence[],
): Promise<void> {
  if (moments.length === 0) return
  const scheduleOf = new Map(schedules.map(schedule => [schedule.id, schedule]))
  const concerned = moments.map(moment => ({ ...scheduleOf.get(moment.schedule_id)!, ...moment }))
  const found = await tried(ctx, sql, 'agent_names_not_read', sql => store.findStartingAgents(sql, concerned))
  const slugs = new Map(found?.map(agent => [agent.id, agent.slug]))
  const slugOf = (id: string) => (found === null ? undefined : (slugs.get(id) ?? null))
  await raiseMissed(
    ctx,
    sql,
    concerned.map(moment => ({
      ...moment,
      agent_slug: slugOf(moment.agent_id),
      detail: null,
      run_id: null,
    })),
  )
}

async function raiseMissed(ctx: Context, sql: Sql, moments: readonly MissedOccurrence[]): Promise<void> {
  await raiseAlerts(
    ctx,
    sql,
    moments.map(scheduleMissed).filter(alert => alert !== null),
  )
}
