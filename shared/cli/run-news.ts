// Yields a run's changes as they happen. Guarantee: it survives a restart of the server, and polls if no stream of
// events gets through.

import { setTimeout as delay } from 'node:timers/promises'
import { answered, asFailure, type Run } from './api.ts'
import { outage } from './outage.ts'
import type { Session } from './session.ts'

const PAUSE_MS = 1000
/** A stream without an event by then is given up: a proxy may buffer a stream until it ends. */
const FIRST_EVENT_MS = 5000

type Wire = Pick<Session, 'api' | 'output' | 'now'>

/** Yields the run, then again each time it has changed, until the signal aborts. */
export async function* runNews(
  { api, ...session }: Wire,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<Run, void> {
  let streams = true
  let last = ''
  const away = outage(session)
  const isNews = (run: Run) => {
    away.over()
    // How long it still takes changes all the time.
    const { estimate: _, ...printed } = run
    const text = JSON.stringify(printed)
    const changed = text !== last
    last = text
    return changed
  }
  for (let seen: string | undefined; !signal.aborted; await pause(PAUSE_MS, signal)) {
    const silent = new AbortController()
    const timer = setTimeout(() => silent.abort(), FIRST_EVENT_MS)
    try {
      if (streams) {
        const both = AbortSignal.any([signal, silent.signal])
        for await (const event of api.runEvents(runId, { seen, signal: both })) {
          clearTimeout(timer)
          seen = event.id
          if (isNews(event.run)) yield event.run
        }
      } else {
        const run = await answered(api.GET('/v2/runs/{runId}', { params: { path: { runId } }, signal }))
        if (isNews(run)) yield run
      }
    } catch (error) {
      if (signal.aborted) return
      const failure = asFailure(error)
      if (silent.signal.aborted || failure?.code === 'rate_limited') streams = false
      else if (failure !== undefined && failure.code !== 'broken_answer') away.failed(failure)
      else if (failure === undefined && !isBroken(error)) throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Whether fetch threw because a body broke off; the next request shows whether the server is away. */
const isBroken = (error: unknown) => error instanceof TypeError

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}
