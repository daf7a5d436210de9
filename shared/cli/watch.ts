// Follows a run to its end. Guarantee: it outlives a restart of the server, and its exit code is the run's verdict.

import { setTimeout as delay } from 'node:timers/promises'
import { answered, asFailure, type Run } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, Failure, isPassing } from './failure.ts'
import type { Output } from './output.ts'
import { paceMeter, progressLine } from './progress.ts'
import { runSummary } from './run-view.ts'
import type { Session } from './session.ts'
import { exitOf, hasEnded, isHeld } from './verdict.ts'

const FIRST_LOOK_MS = 100
const SLOWEST_LOOK_MS = 1000
const SLOWER = 1.25
const PATIENCE_MS = 120_000

export async function watch(session: Session, given: Given): Promise<ExitCode> {
  return watchRun(session, given.arg(0))
}

/** Shows the run's progress until it has ended or waits for a person. */
export async function watchRun(session: Session, run_id: string): Promise<ExitCode> {
  const interrupt = new AbortController()
  const stop = () => interrupt.abort()
  // The first Ctrl-C ends the watching in good order, a second one the process.
  process.once('SIGINT', stop)
  const run = await followRun(session, run_id, interrupt.signal)
  process.off('SIGINT', stop)
  if (run === undefined) {
    throw new Failure(EXIT.interrupted, 'interrupted', `run ${run_id} goes on without being watched`, {
      next: `assay watch ${run_id}`,
    })
  }
  session.output.emit('ended', { exit_code: exitOf(run), run }, screen => runSummary(run, screen))
  return exitOf(run)
}

/** The run as it was when it ended or was held; undefined when the signal came first. */
export async function followRun(
  { api, output, now }: Pick<Session, 'api' | 'output' | 'now'>,
  run_id: string,
  signal: AbortSignal,
): Promise<Run | undefined> {
  const look = () => answered(api.GET('/v2/runs/{runId}', { params: { path: { runId: run_id } }, signal }))
  const pace = paceMeter()
  let told = false
  for (let wait_ms = FIRST_LOOK_MS; ; wait_ms = Math.min(wait_ms * SLOWER, SLOWEST_LOOK_MS)) {
    const run = await patiently({ look, output, now, signal })
    if (run === undefined) return undefined
    const speed = pace(run, now())
    output.redraw('progress', { run }, screen => progressLine(run, speed, screen))
    if (hasEnded(run) || isHeld(run)) return run
    if (!told && run.deployment_version === null && wait_ms === SLOWEST_LOOK_MS) {
      told = true
      output.note(`agent ${run.agent_slug} has no deployment yet; the run waits for one: assay deploy FILE`)
    }
    await pause(wait_ms, signal)
  }
}

interface Look {
  look(): Promise<Run>
  output: Output
  now(): number
  signal: AbortSignal
}

/** Asks again while the server is away, for a bounded time; undefined when the signal came. */
async function patiently({ look, output, now, signal }: Look): Promise<Run | undefined> {
  const since = now()
  for (let noted = false; !signal.aborted; noted = true) {
    try {
      const run = await look()
      if (noted) output.note('the server is back')
      return run
    } catch (error) {
      if (signal.aborted) return undefined
      const failure = asFailure(error)
      if (failure === undefined || !isPassing(failure)) throw error
      if (now() - since > PATIENCE_MS) throw failure
      if (!noted) output.note(`${failure.message}; asking again for up to ${PATIENCE_MS / 60_000} minutes`)
      await pause(SLOWEST_LOOK_MS, signal)
    }
  }
  return undefined
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}
