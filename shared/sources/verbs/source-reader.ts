// Reads the sources of occurrences that have come, and starts their runs. Guarantee: an occurrence starts one run or
// none, even if a reader pauses, dies or acts twice; after a reader dies another one reads from the start; a slow
// source delays neither the tick nor another project's sources.

import { scheduleMissed } from '../../alerts/rules/alerts.ts'
import { raiseAlerts } from '../../alerts/verbs/alerts.ts'
import type { Context, Sql } from '../../context.ts'
import { errorText } from '../../kernel/error-text.ts'
import { ApiError, type ApiErrorCode } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { pause } from '../../kernel/pause.ts'
import { noteRefusals } from '../../schedules/queries/occurrences.ts'
import { runName } from '../../schedules/queries/starts.ts'
import { REFUSALS, type RefusalReason } from '../../schedules/rules/occurrence.ts'
import { giveUp } from '../../submission/verbs/write-chunks.ts'
import * as store from '../queries/source-reads.ts'
import { SourceError, type SourceProblem } from '../rules/source.ts'
import { problemOf, startFromSource } from './start-from-source.ts'

/** One reader per connection pool, like the senders of messages. */
const readers = new WeakMap<Context['sql'], Reader>()

/** Chore of the tick: starts queued reads in the background. Returns how many are running. */
export async function readSources(ctx: Context): Promise<number> {
  const reader = readers.get(ctx.sql) ?? new Reader(ctx)
  readers.set(ctx.sql, reader)
  return reader.look()
}

/** Resolves when this process is reading no source. */
export async function sourcesRead(ctx: Context): Promise<void> {
  await readers.get(ctx.sql)?.idle()
}

/** Starts no more reads, and releases those under way to another process. */
export function stopReading(ctx: Context): void {
  readers.get(ctx.sql)?.stop()
}

class Stopped extends Error {}
/** Another reader has the read by now, or the occurrence has been decided. */
class Lost extends Error {}
class NotDeployed extends Error {}

class Reader {
  readonly #ctx: Context
  readonly #stop = new AbortController()
  readonly #reading = new Set<Promise<void>>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  stop(): void {
    this.#stop.abort(new Stopped('The reader was stopped.'))
  }

  async look(): Promise<number> {
    const { sql } = this.#ctx
    const bounds = {
      per_project: LIMITS.sources_at_once_per_project,
      lease_ms: LIMITS.source_lease_ms,
      generators: this.#ctx.reachesAgents,
    }
    while (!this.#stop.signal.aborted && this.#reading.size < LIMITS.sources_at_once) {
      const held = await store.claimRead(sql, this.#ctx.newRunId(), bounds)
      if (held === undefined) break
      const reading = this.#read(held).finally(() => this.#reading.delete(reading))
      this.#reading.add(reading)
      this.#ctx.waitUntil(reading)
    }
    return this.#reading.size
  }

  async idle(): Promise<void> {
    while (this.#reading.size > 0) await Promise.allSettled(this.#reading)
  }

  async #read(held: store.ClaimedRead): Promise<void> {
    const ctx = this.#ctx
    await fault('source.after_claim')
    if (held.left_run_id !== null)
      await giveUp(ctx, { project_id: held.project_id, run_id: held.left_run_id })
    const over = new AbortController()
    const late = `The source took longer than ${LIMITS.source_ms / 1000} s.`
    const timer = setTimeout(() => over.abort(new SourceError(late)), LIMITS.source_ms)
    const kept = keepLease(ctx, held, over)
    const signal = AbortSignal.any([over.signal, this.#stop.signal])
    try {
      await start(ctx, held, signal)
    } catch (error) {
      if (error instanceof Stopped) await store.releaseRead(ctx.sql, held)
      else if (!(error instanceof Lost)) await refuse(ctx, held, error)
    } finally {
      clearTimeout(timer)
      over.abort(new Stopped('The reading is over.'))
      await kept
    }
  }
}

/** Extends the lease while the source is read; if the lease is lost, aborts the read. */
async function keepLease(ctx: Context, held: store.ClaimedRead, over: AbortController): Promise<void> {
  for (;;) {
    await pause(LIMITS.heartbeat_ms, over.signal)
    if (over.signal.aborted) return
    // PostgreSQL may be unreachable: then the lease runs out, and the next heartbeat finds out who holds it.
    const kept = await store.extendRead(ctx.sql, held.run_id, held, LIMITS.source_lease_ms).catch(() => true)
    if (!kept) over.abort(new Lost('Another reader has taken over.'))
  }
}

async function start(ctx: Context, held: store.ClaimedRead, signal: AbortSignal): Promise<void> {
  const schedule = await store.findSourcedSchedule(ctx.sql, held.project_id, held.schedule_id)
  // The source was removed meanwhile: the next try starts whatever the schedule says by then.
  if (schedule === undefined) throw new Error('the schedule has no source any more')
  const agent = await store.findCurrent(ctx.sql, schedule)
  if (agent !== undefined && agent.deployment === null) throw new NotDeployed('nothing is deployed')
  const { scheduled_for, run_id } = held
  const name = runName(schedule)
  await startFromSource(
    ctx,
    { ...schedule, name },
    {
      started_by: { kind: 'schedule', id: held.schedule_id, name },
      occasion: { scheduled_for, timezone: schedule.timezone },
      signal,
      run_id,
      async together(sql) {
        await fault('source.before_commit')
        if ((await store.endRead(sql, held)) === undefined) throw new Lost('Another reader has taken over.')
        if (!(await store.noteRead(sql, held, LIMITS.run_start_minutes)))
          throw new Lost('The occurrence has been decided.')
      },
    },
  )
}

/** Records why nothing was started, and raises an alert if that is final or the source has failed often enough. */
async function refuse(ctx: Context, held: store.ClaimedRead, error: unknown): Promise<void> {
  const { reason, detail } = reasonOf(error)
  const { project_id, schedule_id, scheduled_for } = held
  if (reason === 'dispatch_failed') ctx.log('warn', reason, { schedule_id, error: errorText(error) })
  const { outcome, retried: mayPass } = REFUSALS[reason]
  await ctx.sql.begin(async tx => {
    const sql = tx as unknown as Sql
    const ended = await store.endRead(sql, held)
    if (ended === undefined) return
    const retried = mayPass && ended.is_current
    await noteRefusals(
      sql,
      [{ project_id, schedule_id, scheduled_for, outcome, reason, retried, detail }],
      LIMITS.fire_backoff_s,
    )
    // Transient faults are retried until the next occurrence. For a nightly export that is a day: too late to alert.
    const isLate =
      reason === 'source_failed' && (await store.triesOf(sql, held)) >= LIMITS.source_tries_alerted
    if (!retried || isLate) await alert(ctx, sql, held, reason, detail)
  })
}

async function alert(
  ctx: Context,
  sql: Sql,
  held: store.ClaimedRead,
  reason: RefusalReason,
  detail: SourceProblem | null,
): Promise<void> {
  const schedule = await store.findSourcedSchedule(sql, held.project_id, held.schedule_id)
  if (schedule === undefined) return
  const agent = await store.findCurrent(sql, schedule)
  const { schedule_id, scheduled_for } = held
  const raised = scheduleMissed({
    ...schedule,
    schedule_id,
    scheduled_for,
    reason,
    detail,
    run_id: null,
    agent_slug: agent?.slug ?? null,
  })
  if (raised !== null) await raiseAlerts(ctx, sql, [raised])
}

const REASONS: Partial<Record<ApiErrorCode, RefusalReason>> = {
  no_items: 'source_empty',
  not_found: 'agent_not_found',
  plan_limit: 'plan_limit',
  quota_exceeded: 'plan_limit',
  account_suspended: 'plan_limit',
  too_many_open_runs: 'plan_limit',
}

function reasonOf(error: unknown): { reason: RefusalReason; detail: SourceProblem | null } {
  if (error instanceof NotDeployed) return { reason: 'no_deployed_version', detail: null }
  if (error instanceof SourceError) return { reason: 'source_failed', detail: problemOf(error) }
  if (!(error instanceof ApiError)) return { reason: 'dispatch_failed', detail: null }
  const reason = REASONS[error.code]
  return reason === undefined
    ? { reason: 'source_failed', detail: problemOf(error) }
    : { reason, detail: null }
}
