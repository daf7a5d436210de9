// Yields a run's changes as they happen. Guarantee: it survives a restart of the server, and polls if no stream of
// events gets through.

import { setTimeout as delay } from 'node:timers/promises'
import { answered, asFailure, type Run } from './api.ts'
import type { Session } from './session.ts'

const PAUSE_MS = 1000
/** A stream without an event by then is given up: a proxy may buffer a stream until it ends. */
const FIRST_EVENT_MS = 5000

/** Yields the run, then again each time it has changed, until the signal aborts. */
export async function* runNews(
  { api }: Pick<Session, 'api'>,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<Run, void> {
  let streams = true
  let last = ''
  /** After a stream that failed: the request waits for a server that is away, and knows an error that stays. */
  let looks = false
  const isNews = (run: Run) => {
    // How long it still takes changes all the time.
    const { estimate: _, ...printed } = run
    const text = JSON.stringify(printed)
    const changed = text !== last
    last = text
    return changed
  }
  for (let seen: string | undefined; !signal.aborted; await pause(PAUSE_MS, signal)) {
    const silent = new AbortController()
    const isStream = streams && !looks
    const timer = isStream ? setTimeout(() => silent.abort(), FIRST_EVENT_MS) : undefined
    try {
      if (isStream) {
        const both = AbortSignal.any([signal, silent.signal])
        for await (const event of api.runEvents(runId, { seen, signal: both })) {
          clearTimeout(timer)
          seen = event.id
          if (isNews(event.run)) yield event.run
        }
      } else {
        const run = await answered(api.GET('/v2/runs/{runId}', { params: { path: { runId } }, signal }))
        looks = false
        if (isNews(run)) yield run
      }
    } catch (error) {
      if (signal.aborted) return
      const failure = asFailure(error)
      if (silent.signal.aborted || failure?.code === 'rate_limited') streams = false
      else if (!isStream || (failure === undefined && !isBroken(error))) throw error
      else looks = true
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
