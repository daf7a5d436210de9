// Follows a run to its end. Guarantee: the exit code is the run's verdict, and while nothing happens it says why.

import { setTimeout as delay } from 'node:timers/promises'
import { isPaused } from '../items/rules/lifecycle.ts'
import { type Estimate, leftMs } from '../view/estimate.ts'
import { sayNoneNamed } from '../view/run.ts'
import { sayRunWait } from '../view/upstream.ts'
import { answered, type Run } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, Failure } from './failure.ts'
import { findRun } from './find-run.ts'
import { count } from './format.ts'
import { untilInterrupted } from './interrupt.ts'
import { paceMeter, progressLine } from './progress.ts'
import { runNews } from './run-news.ts'
import { runSummary, uncountedText } from './run-view.ts'
import type { Session } from './session.ts'
import { exitOf, hasEnded } from './verdict.ts'

const QUIET_MS = 3000
/** How long a run still takes is asked once it has been at work for a moment, then every so often. */
const ESTIMATE_MS = { first: 2000, each: 10_000 }
/** What is over sooner needs no word about what binds it. */
const LONG_S = 60

export async function watch(session: Session, given: Given): Promise<ExitCode> {
  return watchRun(session, await findRun(session.api, given.arg(0)))
}

/** Shows the run's progress until it has ended or only paused items are left; returns the exit code of its verdict. */
export async function watchRun(session: Session, run_id: string): Promise<ExitCode> {
  return exitOf(await watchedRun(session, run_id))
}

/** Like `watchRun`, but returns the run as it was then. @throws Failure `interrupted` */
export async function watchedRun(session: Session, run_id: string): Promise<Run> {
  const run = await untilInterrupted(signal => followRun(session, run_id, signal))
  if (run === undefined) {
    throw new Failure(EXIT.interrupted, 'interrupted', `run ${run_id} goes on without being watched`, {
      next: `assay watch ${run_id}`,
    })
  }
  session.output.emit('ended', { exit_code: exitOf(run), run }, screen => runSummary(run, screen))
  await printUncounted(session, run)
  return run
}

async function printUncounted({ api, output }: Session, run: Run): Promise<void> {
  if (run.unread_call_count === 0 && run.unpriced_item_count === 0) return
  const path = { runId: run.id }
  const failures = await answered(api.GET('/v2/runs/{runId}/failures', { params: { path } }))
  const { unread, unpriced } = failures
  if (unread.length + unpriced.length === 0 && sayNoneNamed(run) === undefined) return
  output.emit('uncounted', { run_id: run.id, unread, unpriced }, screen =>
    uncountedText(run, failures, screen),
  )
}

type Watching = Pick<Session, 'api' | 'output' | 'now'>

/** Returns the run as it was when it ended or only paused items were left; undefined if the signal came first. */
export async function followRun(
  session: Watching,
  run_id: string,
  signal: AbortSignal,
): Promise<Run | undefined> {
  const over = new AbortController()
  const news = runNews(session, run_id, AbortSignal.any([signal, over.signal]))
  const pace = paceMeter()
  const estimate = estimates(session, run_id)
  let noted: string | undefined
  let run: Run | undefined
  try {
    for (let next = news.next(); ; ) {
      const found = await within(QUIET_MS, next)
      if (found === 'quiet') {
        const wait: Wait | undefined = run && (await waitOf(session, run).catch(() => undefined))
        if (wait !== undefined && wait.token !== noted) session.output.note(wait.message)
        noted = wait?.token
        continue
      }
      if (found.done) return undefined
      run = found.value
      const speed = { ...pace(run, session.now()), ...(await estimate(run)) }
      session.output.redraw('progress', { run }, screen => progressLine(found.value!, speed, screen))
      if (hasEnded(run) || isPaused(run)) return run
      next = news.next()
    }
  } finally {
    over.abort()
  }
}

/** Says how much of a run is left by the limits and caps that bind it, and notes these when they are others. */
export function estimates({ api, output, now }: Watching, runId: string) {
  let asked_ms = now() - ESTIMATE_MS.each + ESTIMATE_MS.first
  let known: Estimate | undefined
  return async (run: Run): Promise<{ left_ms?: number }> => {
    if (!hasEnded(run) && now() - asked_ms >= ESTIMATE_MS.each) {
      asked_ms = now()
      const asked = answered(api.GET('/v2/runs/{runId}', { params: { path: { runId } } }))
      const estimate = (await asked.catch(() => undefined))?.estimate
      const isLong = estimate?.seconds != null && estimate.seconds >= LONG_S
      if (isLong && estimate.limited_by !== known?.limited_by) output.note(estimate.message)
      known = estimate
    }
    const left_ms = known === undefined ? null : leftMs(known, now())
    return left_ms === null || left_ms === 0 ? {} : { left_ms }
  }
}

/** The value of a promise, or `quiet` if it takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | 'quiet'> {
  const timer = new AbortController()
  const quiet = delay(ms, 'quiet' as const, { signal: timer.signal }).catch(() => 'quiet' as const)
  return Promise.race([promise, quiet]).finally(() => timer.abort())
}

interface Wait {
  token: string
  message: string
}

/** What the run waits for outside, else the reason that its first unfinished item waits; undefined if it is in flight, or next to be claimed. */
async function waitOf(session: Watching, run: Run): Promise<Wait | undefined> {
  if (run.waits_for != null) {
    const { state } = run.waits_for
    const message = `${count(run.queued)} queued. ${sayRunWait(run.waits_for, session.now())}`
    return { token: `upstream ${state}`, message }
  }
  const status = run.running > 0 ? 'running' : 'queued'
  const why = await whyOfFirst(session, run, status)
  if (why === undefined || why.token === 'running' || why.token === 'next') return undefined
  const advice = why.token === 'no_deployment' ? ' To deploy it: assay deploy FILE' : ''
  return {
    token: why.token,
    message: `${count(run[status])} ${status}. Of the first: ${why.message}${advice}`,
  }
}

/** Why the first item with this status has not ended; undefined if no item has this status any more. */
export async function whyOfFirst({ api }: Pick<Session, 'api'>, run: Run, status: 'running' | 'queued') {
  const path = { runId: run.id }
  const [item] = await answered(
    api.GET('/v2/runs/{runId}/items', { params: { path, query: { status, limit: 1 } } }),
  )
  if (item === undefined) return undefined
  return answered(api.GET('/v1/durable/runs/{itemId}/why', { params: { path: { itemId: item.id } } }))
}
